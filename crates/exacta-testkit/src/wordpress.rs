//! A real WordPress on SQLite, on this machine: no database server, nothing installed. It is unpacked and set up once, beneath the
//! folder of builds, and copied for each test.

use crate::needs::program;
use crate::running::{Running, output, succeeds};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The npm package that holds WordPress with its SQLite driver, and the version of it that is used.
const PACKAGE: &str = "@wp-playground/wordpress-builds@0.9.19";

/// A WordPress that is served. It ends with this value, and its folder goes.
#[derive(Debug)]
pub struct WordPress {
    folder: PathBuf,
    port: u16,
    settings: Vec<(String, String)>,
    passwords: String,
    running: Option<Running>,
}

impl WordPress {
    /// Starts one; `None`, and said loudly, where the machine lacks what it needs. The settings are environment variables for the
    /// plugin of the tests (`wordpress/faults.php`).
    ///
    /// # Panics
    /// If it cannot be set up, or does not answer.
    #[must_use]
    #[track_caller]
    pub fn start(version: &str, settings: &[(&str, &str)]) -> Option<Self> {
        if !program("php") || !program("npm") || !program("unzip") {
            return None;
        }
        let base = base(version);
        let folder = scratch().join(format!("exacta-wordpress-{}-{}", std::process::id(), free_port()));
        assert!(succeeds(Command::new("cp").arg("-r").arg(&base).arg(&folder)), "no copy of {}", base.display());
        let passwords = fs::read_to_string(folder.join("passwords.json")).unwrap_or_default();
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut site = Self { folder, port: free_port(), settings, passwords, running: None };
        site.restart();
        Some(site)
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Its address, as a wire needs it.
    #[must_use]
    pub fn server(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The application password of `admin`, `editor`, `least` (the role of least privilege), `person` or `reader`.
    #[must_use]
    pub fn password(&self, user: &str) -> &str {
        let from = self.passwords.split_once(&format!("\"{user}\":\"")).map_or("", |(_, rest)| rest);
        from.split('"').next().unwrap_or_default()
    }

    /// Where it lies.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ends it with whatever it is at, and starts it again.
    ///
    /// # Panics
    /// If it does not answer.
    pub fn restart(&mut self) {
        drop(self.running.take());
        let mut php = Command::new("php");
        php.args(["-d", "opcache.enable=1", "-d", "opcache.enable_cli=1", "-d", "opcache.validate_timestamps=0"])
            .args(["-d", "display_errors=0", "-S", &format!("127.0.0.1:{}", self.port), "router.php"])
            .current_dir(&self.folder)
            .env("EXACTA_URL", self.url())
            .env("PHP_CLI_SERVER_WORKERS", "4")
            .envs(self.settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.running = Some(Running::start(&mut php));
        let end = Instant::now() + crate::LIMIT;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < end, "WordPress does not answer");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends it with whatever it is at, until it is started again.
    pub fn stop(&mut self) {
        drop(self.running.take());
    }

    /// Has the n-th request of a kind by a user go wrong, counted from now on: see `wordpress/faults.php`.
    ///
    /// # Panics
    /// If that cannot be written.
    pub fn fault(&self, json: &str) {
        for name in ["faults.count.0", "faults.count.1", "faults.edited", "faults.at-it"] {
            drop(fs::remove_file(self.folder.join(name)));
        }
        fs::write(self.folder.join("faults.json"), json).unwrap_or_else(|error| panic!("faults.json: {error}"));
    }

    /// Nothing goes wrong any more.
    pub fn no_fault(&self) {
        drop(fs::remove_file(self.folder.join("faults.json")));
    }

    /// How many requests of the kind of each fault were counted, of one or two, and which pages a person edited.
    #[must_use]
    pub fn met(&self) -> ([u64; 2], Vec<u64>) {
        let read = |name: &str| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        let edited = read("faults.edited").lines().filter_map(|line| line.parse().ok()).collect();
        (["faults.count.0", "faults.count.1"].map(|name| read(name).parse().unwrap_or(0)), edited)
    }

    /// Waits until no slow answer is under way any more.
    ///
    /// # Panics
    /// If that takes longer than [`crate::LIMIT`].
    pub fn settles(&self) {
        let end = Instant::now() + crate::LIMIT;
        while self.folder.join("faults.at-it").exists() {
            assert!(Instant::now() < end, "a slow answer never ends");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Everything that it has stored, to be put back by [`WordPress::put_back`].
    ///
    /// # Panics
    /// If it cannot be read.
    #[must_use]
    pub fn stored(&self) -> Vec<u8> {
        fs::read(self.database()).unwrap_or_else(|error| panic!("the database: {error}"))
    }

    /// Puts back what it had stored. Nothing may be under way.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn put_back(&self, stored: &[u8]) {
        drop(fs::remove_file(self.database().with_extension("sqlite-journal")));
        fs::write(self.database(), stored).unwrap_or_else(|error| panic!("the database: {error}"));
    }

    /// Changes what it has stored by SQL, as no WordPress would.
    ///
    /// # Panics
    /// If that fails.
    pub fn change_stored(&self, sql: &str) {
        let script = "$db = new PDO('sqlite:' . $argv[1]); $db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION); $db->exec($argv[2]);";
        let mut php = Command::new("php");
        php.args(["-r", script, "--"]).arg(self.database()).arg(sql).stdin(Stdio::null());
        let done = output(&mut php);
        assert!(done.status.success(), "{:.400}", String::from_utf8_lossy(&done.stdout));
    }

    fn database(&self) -> PathBuf {
        self.folder.join("wp-content/database/.ht.sqlite")
    }
}

impl Drop for WordPress {
    fn drop(&mut self) {
        drop(self.running.take());
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// A WordPress that is set up, to be copied; made the first time, by one process.
fn base(version: &str) -> PathBuf {
    let builds = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let folder = builds.join("wordpress");
    // Another edition of these files is another WordPress.
    let files: [(&str, &str); 4] = [
        ("wp-config.php", include_str!("wordpress/config.php")),
        ("router.php", include_str!("wordpress/router.php")),
        ("setup.php", include_str!("wordpress/setup.php")),
        ("wp-content/mu-plugins/faults.php", include_str!("wordpress/faults.php")),
    ];
    let edition = files
        .iter()
        .flat_map(|(_, text)| text.bytes())
        .fold(5381_u64, |sum, byte| sum.wrapping_mul(33) ^ u64::from(byte));
    let base = folder.join(format!("{version}-{edition:x}"));
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let lock = fs::File::create(folder.join("lock")).unwrap_or_else(|error| panic!("lock: {error}"));
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap_or_else(|error| panic!("lock: {error}"));
    if base.is_dir() {
        return base;
    }
    let package = unpacked(&folder);
    let unfinished = folder.join("unfinished");
    drop(fs::remove_dir_all(&unfinished));
    let unzip = |zip: &str, to: &Path| {
        let done =
            succeeds(Command::new("unzip").arg("-q").arg(package.join(zip)).arg("-d").arg(to).stdout(Stdio::null()));
        assert!(done, "cannot unpack {zip}");
    };
    unzip(&format!("package/src/wordpress/wp-{version}.zip"), &unfinished);
    let plugins = unfinished.join("wp-content/mu-plugins");
    unzip("package/src/sqlite-database-integration/sqlite-database-integration.zip", &plugins);
    let driver = plugins.join("sqlite-database-integration");
    fs::rename(plugins.join("sqlite-database-integration-main"), &driver)
        .unwrap_or_else(|error| panic!("driver: {error}"));
    for (name, text) in files {
        fs::write(unfinished.join(name), text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let database = fs::read_to_string(driver.join("db.copy")).unwrap_or_else(|error| panic!("db.copy: {error}"));
    let database = database
        .replace("'{SQLITE_IMPLEMENTATION_FOLDER_PATH}'", "__DIR__ . '/mu-plugins/sqlite-database-integration'")
        .replace("{SQLITE_PLUGIN}", "sqlite-database-integration/load.php");
    fs::write(unfinished.join("wp-content/db.php"), database).unwrap_or_else(|error| panic!("db.php: {error}"));
    drop(fs::remove_dir_all(unfinished.join("wp-content/database")));
    let mut setup = Command::new("php");
    let done = output(setup.arg("setup.php").current_dir(&unfinished).env_remove("EXACTA_URL").stdin(Stdio::null()));
    assert!(
        done.status.success() && done.stdout.starts_with(b"{"),
        "setup: {:.400}",
        String::from_utf8_lossy(&done.stdout)
    );
    fs::write(unfinished.join("passwords.json"), &done.stdout).unwrap_or_else(|error| panic!("passwords: {error}"));
    fs::rename(&unfinished, &base).unwrap_or_else(|error| panic!("{}: {error}", base.display()));
    base
}

/// The npm package, unpacked.
fn unpacked(folder: &Path) -> PathBuf {
    let package = folder.join("npm");
    if package.join("package").is_dir() {
        return package;
    }
    fs::create_dir_all(&package).unwrap_or_else(|error| panic!("npm: {error}"));
    let got =
        output(Command::new("npm").args(["pack", "--silent", PACKAGE]).current_dir(&package).stdin(Stdio::null()));
    let name = String::from_utf8_lossy(&got.stdout).trim().to_owned();
    assert!(got.status.success() && !name.is_empty(), "npm pack: {got:?}");
    let done = succeeds(Command::new("tar").args(["xzf", &name]).current_dir(&package));
    assert!(done, "cannot unpack {name}");
    drop(fs::remove_file(package.join(name)));
    package
}

/// Where nothing has to wait for a disk, if there is such a place.
fn scratch() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("no port: {error}"));
    listener.local_addr().map_or(0, |address| address.port())
}
