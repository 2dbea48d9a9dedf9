//! A network of its own: public addresses and private ones on one machine, a name server that lies, sites that cheat. The program knows nothing of it: there is no
//! switch that would let it read a private address.

mod dns;
mod site;
mod vectors;

use exacta_testkit::{Running, needs, output, succeeds};
use exacta_web::{Got, Hosts, WebError, get};
use std::net::{IpAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use vectors::Expected;

const INSIDE: &str = "EXACTA_WEB_NETWORK";

/// Addresses of sites.
const PUBLIC: [&str; 3] = ["93.184.216.34", "93.184.216.35", "2606:2800:220:1::34"];
/// Addresses that nobody may reach; each has somebody who counts.
const PRIVATE: [&str; 33] = [
    "127.0.0.1",
    "127.8.9.10",
    "10.0.0.1",
    "10.255.1.2",
    "172.16.0.1",
    "172.31.9.9",
    "192.168.0.1",
    "192.168.1.254",
    "169.254.169.254",
    "169.254.1.1",
    "100.64.0.1",
    "100.100.100.200",
    "198.18.0.1",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "168.63.129.16",
    "240.0.0.1",
    "::1",
    "fd00:ec2::254",
    "fc00::1",
    "fec0::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2001::1",
    "3fff::1",
    "100::1",
    "5f00::1",
];

/// Starts this test again in a network of its own.
fn within(test: &str) {
    let mut probe = Command::new("unshare");
    let there = succeeds(
        probe.args(["-rnm", "--", "ip", "link", "set", "lo", "up"]).stdin(Stdio::null()).stderr(Stdio::null()),
    );
    if !needs(there, "`unshare` with user and network namespaces, and `ip` (Debian: util-linux, iproute2)")
        || !exacta_testkit::program("openssl")
    {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    certificates(scratch.path());
    let mut inside = Command::new("unshare");
    inside.args(["-rnm", "--"]).arg(std::env::current_exe().unwrap()).args([
        "--exact",
        test,
        "--include-ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    inside.env(INSIDE, scratch.path()).env("SSL_CERT_FILE", scratch.path().join("ca.pem")).env_remove("SSL_CERT_DIR");
    // What an attacker would like to be used.
    inside
        .env("http_proxy", "http://127.0.0.1:80")
        .env("https_proxy", "http://127.0.0.1:80")
        .env("ALL_PROXY", "http://127.0.0.1:80");
    let done = Running::start(inside.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped())).finish();
    let seen = String::from_utf8_lossy(&done.stderr);
    eprintln!("{}", seen.lines().filter(|line| line.starts_with("web:")).collect::<Vec<_>>().join("\n"));
    assert!(done.status.success() && seen.contains("web: done"), "{}\n{seen}", String::from_utf8_lossy(&done.stdout));
}

fn certificates(folder: &Path) {
    let run = |arguments: &str| {
        let done = output(Command::new("openssl").args(arguments.split(' ')).current_dir(folder).stdin(Stdio::null()));
        assert!(done.status.success(), "{arguments}: {}", String::from_utf8_lossy(&done.stderr));
    };
    run(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca -addext basicConstraints=critical,CA:TRUE",
    );
    for (name, days) in [("site", "2"), ("stranger", "2")] {
        run(&format!(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name}"
        ));
        std::fs::write(
            folder.join("ext"),
            "subjectAltName=DNS:site.example,DNS:other.example,IP:93.184.216.34\nbasicConstraints=CA:FALSE\n",
        )
        .unwrap();
        match name {
            "site" => run(&format!(
                "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out {name}.pem -days {days} -extfile ext"
            )),
            _ => {
                run(&format!("x509 -req -in {name}.csr -signkey {name}.key -out {name}.pem -days {days} -extfile ext"))
            }
        }
    }
}

/// Addresses, names and sites; only inside.
fn prepare() -> Option<(dns::Names, site::Sites)> {
    let folder = std::env::var_os(INSIDE)?;
    let folder = Path::new(&folder);
    let run = |line: &str| {
        let done = output(Command::new("sh").args(["-c", line]).stdin(Stdio::null()));
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    };
    run("ip link set lo up");
    for address in PUBLIC.iter().chain(&PRIVATE).filter(|address| !address.starts_with("127.") && **address != "::1") {
        let length = if address.contains(':') { "128 nodad" } else { "32" };
        run(&format!("ip addr add {address}/{length} dev lo"));
    }
    run("ip route add local 127.0.0.0/8 dev lo 2>/dev/null || true");
    std::fs::write(folder.join("resolv.conf"), "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n").unwrap();
    run(&format!("mount --bind {}/resolv.conf /etc/resolv.conf", folder.display()));
    Some((dns::Names::start(), site::Sites::start(folder)))
}

fn code(result: &Result<Got, WebError>) -> String {
    match result {
        Ok(Got::Page(page)) => {
            let start: String = String::from_utf8_lossy(&page.body).chars().take(20).collect();
            format!("page {} {start}", page.status).trim().to_owned()
        }
        Ok(Got::NotModified) => "not modified".to_owned(),
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn nothing_private_is_ever_reached() {
    within("net::inside_vectors");
}

#[test]
#[ignore = "runs in a network of its own, which another test makes"]
fn inside_vectors() {
    let Some((names, sites)) = prepare() else { return };
    // Those who count are there, and count.
    for address in PRIVATE {
        let address: IpAddr = address.parse().unwrap();
        // An address that was only just given may take a moment.
        let there = (0..20).any(|_| {
            let there = TcpStream::connect_timeout(&(address, 80).into(), Duration::from_secs(2)).is_ok();
            if !there {
                std::thread::sleep(Duration::from_millis(100));
            }
            there
        });
        assert!(there, "{address}");
    }
    sites.settle();
    assert_eq!(sites.hits.load(Ordering::SeqCst), PRIVATE.len());
    sites.hits.store(0, Ordering::SeqCst);
    let vectors = vectors::all(&names);
    let mut wrong = Vec::new();
    for vector in &vectors {
        let hosts = Hosts::new(&vector.hosts);
        let found = code(&get(&vector.url, &hosts, None));
        let right = match vector.expected {
            Expected::Refused => matches!(found.as_str(), "WEB_ADDRESS_REFUSED" | "WEB_REDIRECT_REFUSED"),
            Expected::Read => found == "page 200 a good page",
            Expected::NotPrivate => !found.contains("private"),
        };
        if !right {
            wrong.push(format!("{}: {found}", vector.url));
        }
    }
    let rounds = rebinding(&names, &mut wrong);
    sites.settle();
    let hits = sites.hits.load(Ordering::SeqCst);
    eprintln!(
        "web: {} vectors, {rounds} rounds of rebinding: {hits} private addresses reached, {} other answers than expected",
        vectors.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(vectors.len() >= 250 && rounds >= 100, "{}", vectors.len());
    assert_eq!(hits, 0);
    eprintln!("web: done");
}

/// A name that leads outside and inside by turns; and one that leads outside for IPv4, inside for IPv6.
fn rebinding(names: &dns::Names, wrong: &mut Vec<String>) -> usize {
    let public: IpAddr = PUBLIC[0].parse().unwrap();
    let private: Vec<IpAddr> = PRIVATE.iter().map(|address| address.parse().unwrap()).collect();
    let rounds = 120;
    for round in 0..rounds {
        let inside = private[round % private.len()];
        let name = format!("turn{round}.example");
        let turns = if round % 2 == 0 {
            vec![vec![public], vec![inside], vec![inside]]
        } else {
            vec![vec![inside], vec![public], vec![inside]]
        };
        names.set(&name, turns);
        for _ in 0..2 {
            let found = code(&get(&format!("http://{name}/ok"), &Hosts::new([&name]), None));
            if !matches!(found.as_str(), "page 200 a good page" | "WEB_ADDRESS_REFUSED") {
                wrong.push(format!("{name}: {found}"));
            }
        }
    }
    rounds
}

#[test]
fn sites_that_cheat_are_refused_in_time() {
    within("net::inside_cheats");
}

#[test]
#[ignore = "runs in a network of its own, which another test makes"]
fn inside_cheats() {
    let Some((names, sites)) = prepare() else { return };
    let public: IpAddr = PUBLIC[0].parse().unwrap();
    for name in ["site.example", "other.example", "wrong.example"] {
        names.set(name, vec![vec![public]]);
    }
    names.silent("silent.example");
    let listed = [
        "site.example",
        "other.example",
        "wrong.example",
        "silent.example",
        "missing.example",
        "site.example:8443",
        "site.example:81",
    ];
    let begin = Instant::now();
    let cases: Vec<_> = site::CASES
        .iter()
        .map(|(url, expected)| {
            std::thread::spawn(move || {
                let begin = Instant::now();
                let found = code(&get(url, &Hosts::new(listed), None));
                let took = begin.elapsed();
                (found != *expected || took > Duration::from_secs(17))
                    .then(|| format!("{url}: {found}, not {expected}, after {took:?}"))
            })
        })
        .collect();
    let count = cases.len();
    let wrong: Vec<String> = cases.into_iter().filter_map(|case| case.join().unwrap()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    conditional();
    assert_eq!(sites.hits.load(Ordering::SeqCst), 0);
    let memory = std::fs::read_to_string("/proc/self/status").unwrap();
    let most: usize = memory
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    eprintln!(
        "web: {count} sites that cheat, read at the same time in {:?}, {} MiB at most",
        begin.elapsed(),
        most / 1024
    );
    assert!(most < 256 * 1024, "{most} KiB");
    eprintln!("web: done");
}

fn conditional() {
    let hosts = Hosts::new(["site.example"]);
    let Ok(Got::Page(page)) = get("http://site.example/tagged", &hosts, None) else { panic!() };
    assert_eq!((page.validators.etag.as_deref(), page.retry_after), (Some("\"one\""), Some(Duration::from_secs(7))));
    assert_eq!(get("http://site.example/tagged", &hosts, Some(&page.validators)), Ok(Got::NotModified));
    // What was given for one address is not sent to another.
    assert_eq!(code(&get("http://site.example/tagged?2", &hosts, Some(&page.validators))), "page 200 a good page");
}
