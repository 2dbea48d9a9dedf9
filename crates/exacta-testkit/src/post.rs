//! A mail account for tests, with real parts: Debian's dovecot serves a Maildir over IMAP, aiosmtpd takes messages into the same Maildir and
//! makes every fault that a test wants.

use crate::needs::{needs, program};
use crate::python::python;
use crate::running::{Lines, Running, output};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The user of every account.
pub const POST_USER: &str = "me@here.example";

/// And the password: with what has to be quoted.
pub const POST_PASSWORD: &str = "se cret\"\\";

/// How dovecot is set up, where it is not as usual.
#[derive(Debug, Clone, Default)]
pub struct PostSetup {
    /// The folder that is marked `\Archive`; `Archive` if empty.
    pub archive: String,
    /// Lines for `dovecot.conf`.
    pub dovecot: String,
    /// Whether no folder is marked.
    pub unmarked: bool,
    /// Whether both servers speak TLS, with a certificate for `localhost` by an authority of the test's own ([`Post::authority`]).
    pub tls: bool,
}

/// An account. Its servers end with it.
pub struct Post {
    folder: PathBuf,
    setup: PostSetup,
    dovecot: Option<Running>,
    smtp: Running,
    imap_port: u16,
    smtp_port: u16,
}

impl Post {
    /// Starts both servers; `None` where they cannot be had, which is said.
    ///
    /// # Panics
    /// If they cannot be started although they are there.
    #[track_caller]
    #[must_use]
    pub fn start(setup: PostSetup) -> Option<Self> {
        // Dovecot serves no mail as the super-user.
        let (dovecot, setpriv) = (program("dovecot"), program("setpriv"));
        let mut python = python(&["aiosmtpd"])?;
        if !dovecot || !setpriv || (setup.tls && !program("openssl")) {
            return None;
        }
        let folder = folder();
        for name in ["", "run", "mail", "mail/new", "mail/cur", "mail/tmp"] {
            fs::create_dir_all(folder.join(name)).unwrap_or_else(|error| panic!("{error}"));
            open_to_all(&folder.join(name), 0o777);
        }
        write(&folder.join("users"), format!("{POST_USER}:{{PLAIN}}{POST_PASSWORD}\n").as_bytes());
        if setup.tls {
            make_certificates(&folder);
        }
        for name in ["faults", "smtp.log"] {
            write(&folder.join(name), b"");
        }
        write(&folder.join("smtp_server.py"), include_bytes!("post/smtp_server.py"));
        python.arg(folder.join("smtp_server.py")).arg(folder.join("mail"));
        python.arg(folder.join("faults")).arg(folder.join("smtp.log"));
        if setup.tls {
            python.arg(folder.join("server.pem")).arg(folder.join("server.key"));
        }
        let mut smtp = Running::start(python.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()));
        let port = smtp.stdout().and_then(|out| Lines::of(out).next()).and_then(|line| line.parse().ok());
        let Some(smtp_port) = port else { panic!("aiosmtpd did not start") };
        let mut post = Self { folder, setup, dovecot: None, smtp, imap_port: 0, smtp_port };
        post.start_dovecot();
        Some(post)
    }

    /// The way to the IMAP server.
    #[must_use]
    pub fn imap(&self) -> String {
        if self.setup.tls {
            format!("imaps://localhost:{}", self.imap_port)
        } else {
            format!("imap://127.0.0.1:{}", self.imap_port)
        }
    }

    /// The way to the SMTP server.
    #[must_use]
    pub fn smtp(&self) -> String {
        format!("smtp://{}:{}", if self.setup.tls { "localhost" } else { "127.0.0.1" }, self.smtp_port)
    }

    /// The certificate of the authority, for `SSL_CERT_FILE`.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.folder.join("authority.pem")
    }

    /// What goes wrong in the next connections to the SMTP server, in order; see `post/smtp_server.py`.
    pub fn faults(&self, faults: &[&str]) {
        write(&self.folder.join("faults"), faults.join(" ").as_bytes());
    }

    /// What the SMTP server noted: a line for each connection and for each message that it stored.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        fs::read_to_string(self.folder.join("smtp.log")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// The messages that the SMTP server stored, by a line each.
    #[must_use]
    pub fn stored(&self) -> Vec<String> {
        self.log().into_iter().filter_map(|line| line.strip_prefix("stored ").map(str::to_owned)).collect()
    }

    /// Puts a message into a folder: `""` is the inbox.
    pub fn deliver(&self, folder: &str, bytes: &[u8]) {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let base = self.folder.join("mail").join(folder);
        for part in ["", "new", "cur", "tmp"].map(|part| base.join(part)) {
            // Dovecot makes its folders at the first login.
            if fs::create_dir(&part).is_ok() {
                open_to_all(&part, 0o777);
            }
        }
        let hidden = base.join("tmp").join(format!("1.{number}.test"));
        write(&hidden, bytes);
        let shown = base.join("new").join(format!("1.{number}.test"));
        fs::rename(hidden, shown).unwrap_or_else(|error| panic!("{error}"));
    }

    /// The messages in a folder, as files have them, sorted: `""` is the inbox.
    #[must_use]
    pub fn messages(&self, folder: &str) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        for part in ["new", "cur"] {
            for entry in fs::read_dir(self.folder.join("mail").join(folder).join(part)).into_iter().flatten().flatten()
            {
                found.extend(fs::read(entry.path()));
            }
        }
        found.sort();
        found
    }

    /// Changes the account's password for IMAP.
    pub fn set_password(&self, password: &str) {
        // Dovecot looks at the file once a second.
        std::thread::sleep(Duration::from_millis(1_100));
        write(&self.folder.join("users"), format!("{POST_USER}:{{PLAIN}}{password}\n").as_bytes());
    }

    /// Starts dovecot again without what it knew of its messages: they get other numbers, and another UIDVALIDITY.
    pub fn renumber(&mut self) {
        self.dovecot = None;
        for entry in fs::read_dir(self.folder.join("mail")).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("dovecot") {
                drop(fs::remove_file(entry.path()));
            }
        }
        // UIDVALIDITY is the time, in seconds.
        std::thread::sleep(Duration::from_millis(1_100));
        self.start_dovecot();
    }

    /// Starts dovecot again with another setup.
    pub fn set_up(&mut self, setup: PostSetup) {
        self.dovecot = None;
        self.setup = setup;
        self.start_dovecot();
    }

    fn start_dovecot(&mut self) {
        for _ in 0..5 {
            let port = free_port();
            write(&self.folder.join("dovecot.conf"), self.configuration(port).as_bytes());
            let mut command = Command::new("dovecot");
            if rustix::process::geteuid().is_root() {
                command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "dovecot"]);
            }
            command.args(["-F", "-c"]).arg(self.folder.join("dovecot.conf"));
            let mut running = Running::start(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()));
            if answers(port, self.setup.tls, &mut running) {
                (self.dovecot, self.imap_port) = (Some(running), port);
                return;
            }
        }
        panic!("dovecot did not start: {}", fs::read_to_string(self.folder.join("log")).unwrap_or_default());
    }

    fn configuration(&self, port: u16) -> String {
        let root = rustix::process::geteuid().is_root();
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let (uid, gid) = if root { (65534, 65534) } else { (uid, gid) };
        let folder = self.folder.display().to_string();
        let tls = self.setup.tls;
        let keys = format!("ssl_cert = <{folder}/server.pem\nssl_key = <{folder}/server.key\n");
        let extra = format!("{}{}", if tls { keys.as_str() } else { "" }, self.setup.dovecot);
        let archive = if self.setup.archive.is_empty() { "Archive" } else { &self.setup.archive };
        let (plain, within_tls) = if tls { (0, port) } else { (port, 0) };
        let words = [
            ("@folder@", folder.as_str()),
            ("@ssl@", if tls { "required" } else { "no" }),
            ("@user@", &name("-un", uid)),
            ("@group@", &name("-gn", uid)),
            ("@uid@", &uid.to_string()),
            ("@gid@", &gid.to_string()),
            ("@port@", &plain.to_string()),
            ("@tls_port@", &within_tls.to_string()),
            ("@archive@", archive),
            ("@extra@", &extra),
        ];
        let mut template = include_str!("post/dovecot.conf").to_owned();
        if self.setup.unmarked {
            template = template.replace("special_use", "# special_use");
        }
        words.iter().fold(template, |text, (word, value)| text.replace(word, value))
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.dovecot = None;
        self.smtp.kill();
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// A new folder that dovecot's own user reaches too.
fn folder() -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("exacta-post-{}-{number}", std::process::id()))
}

fn open_to_all(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap_or_else(|error| panic!("{error}"));
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    open_to_all(path, 0o666);
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0");
    listener.and_then(|listener| listener.local_addr()).map_or(0, |address| address.port())
}

/// Whether the server greets within a while.
fn answers(port: u16, tls: bool, running: &mut Running) -> bool {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end && running.ended().is_none() {
        if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
            let mut line = String::new();
            let _late = stream.set_read_timeout(Some(Duration::from_secs(5)));
            if tls || (BufReader::new(stream).read_line(&mut line).is_ok() && line.starts_with("* OK")) {
                return true;
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// The name of a user, or of their group.
fn name(flag: &str, uid: u32) -> String {
    let told = output(Command::new("id").arg(flag).arg(uid.to_string()).stdin(Stdio::null()));
    String::from_utf8_lossy(&told.stdout).trim().to_owned()
}

/// An authority, and a certificate of it for `localhost`.
fn make_certificates(folder: &Path) {
    let script = "set -e
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=Test Authority' -keyout authority.key -out authority.pem
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=localhost' -keyout server.key -out server.csr
        printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\\nbasicConstraints=CA:FALSE\\n' > server.ext
        openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -extfile server.ext -out server.pem
        chmod 644 server.key";
    let made = output(Command::new("sh").args(["-c", script]).current_dir(folder).stdin(Stdio::null()));
    let done = needs(made.status.success(), "`openssl` that makes certificates");
    assert!(done, "{}", String::from_utf8_lossy(&made.stderr));
}
