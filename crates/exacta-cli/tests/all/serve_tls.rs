//! The server beyond this machine: only with TLS, and only if that was said.

use crate::serve::Served;
use crate::world::{Done, World, done};
use exacta_testkit::{output, program};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

/// A certificate for `review.example` and this machine, and its key.
fn certificate(world: &World) -> (String, String) {
    let file = |name: &str| world.path().join(name).display().to_string();
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let mut make = Command::new("openssl");
    make.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]);
    make.args(["-subj", "/CN=review.example", "-addext", "subjectAltName=DNS:review.example,IP:127.0.0.1"]);
    done(output(make.args(["-keyout", &key, "-out", &certificate]))).expect(0);
    (certificate, key)
}

#[test]
fn tls_proves_who_it_is_and_names_are_exact() {
    if !program("openssl") || !program("curl") {
        return;
    }
    let world = World::begun();
    let (certificate, key) = certificate(&world);
    let tls = ["--tls-certificate", &certificate, "--tls-key", &key, "--name", "review.example"];
    let served = Served::start_with(&world, &tls);
    let port = served.address.rsplit(':').next().unwrap().to_owned();
    assert_eq!(served.url, format!("https://review.example:{port}/open/{}", served.link));
    let curl = |args: &[&str]| -> Done {
        let resolve = |name: &str| format!("{name}:{port}:127.0.0.1");
        let mut command = Command::new("curl");
        command.args(["--silent", "--include", "--max-time", "20", "--cacert", &certificate]);
        command.args(["--resolve", &resolve("review.example"), "--resolve", &resolve("other.example")]);
        done(output(command.args(args)))
    };
    let at = |path: &str| format!("https://review.example:{port}{path}");
    assert!(curl(&[&at("/")]).expect(0).out.starts_with("HTTP/1.1 401"), "no session");
    curl(&[&format!("https://other.example:{port}/")]).expect(60);
    let other = curl(&[&at("/"), "--header", &format!("Host: other.example:{port}")]).expect(0).out;
    assert!(other.starts_with("HTTP/1.1 421"), "{other}");
    assert_ne!(curl(&[&format!("http://review.example:{port}/")]).code, 0, "nothing is answered without TLS");
    let open = |scheme: &str| {
        let origin = format!("Origin: {scheme}://review.example:{port}");
        let link = format!("link={}", served.link);
        curl(&[&at("/open"), "--header", &origin, "--data", &link]).expect(0).out.to_ascii_lowercase()
    };
    assert!(open("http").starts_with("http/1.1 403"), "a page without TLS is another origin");
    let opened = open("https");
    assert!(opened.starts_with("http/1.1 303") && opened.contains("httponly; samesite=strict; secure"), "{opened}");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn beyond_this_machine_only_with_tls_and_a_word() {
    if !program("openssl") {
        return;
    }
    let world = World::begun();
    let (certificate, key) = certificate(&world);
    let tls = ["--tls-certificate", &certificate, "--tls-key", &key];
    let refused = |args: &[&str]| world.run(&[&["serve", "--listen", "0.0.0.0:0", "--json"], args].concat()).expect(2);
    assert_eq!(refused(&[]).json()["error"]["code"], "not_loopback");
    assert_eq!(refused(&tls).json()["error"]["code"], "not_loopback");
    refused(&["--beyond-this-machine"]);
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let told = refused(&[&tls[..], &["--beyond-this-machine"]].concat()).json();
    assert_eq!(told["error"]["code"], "tls_unusable", "others can read the key: {told}");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let swapped = ["--tls-certificate", &key, "--tls-key", &certificate, "--beyond-this-machine"];
    assert_eq!(refused(&swapped).json()["error"]["code"], "tls_unusable");
    // Where an agent writes, it could read the key, or put another one there.
    std::os::unix::fs::symlink(&key, world.project().join("key.pem")).unwrap();
    let inside = world.project().join("key.pem").display().to_string();
    let told = refused(&["--tls-certificate", &certificate, "--tls-key", &inside, "--beyond-this-machine"]).json();
    assert!(told["error"]["message"].as_str().unwrap().contains("through the project"), "{told}");
    let unit = world.run(&[&["serve", "--unit"], &tls[..]].concat()).expect(0).out;
    assert!(unit.contains("--tls-certificate") && unit.contains("--tls-key"), "{unit}");
}
