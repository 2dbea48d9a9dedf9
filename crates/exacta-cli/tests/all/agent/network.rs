//! Whom an agent reaches.

use super::Copied;
use crate::world::done;
use exacta_testkit::{output, program};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server on this machine that says a word to whoever comes, and counts.
fn server() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                let _asked = stream.read(&mut [0; 4096]);
                let _gone =
                    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nreached");
            });
        }
    });
    (port, count)
}

/// Asks for a page as any program does, and says what came.
const ASK: &str = r#"
import sys, urllib.request
try: print("GOT", urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())
except Exception as error: print("FAILED", error)
"#;

#[test]
fn an_agent_reaches_what_was_named_and_nothing_else() {
    let Some(copied) = Copied::new() else { return };
    if !program("python3") {
        return;
    }
    let (port, count) = server();
    let url = format!("http://127.0.0.1:{port}/x");
    let named = format!("http://named.localhost:{port}/x");
    let ask = |network: &[&str], url: &str| {
        let args: Vec<&str> =
            ["agent"].iter().chain(network).chain(&["--", "/usr/bin/python3", "-c", ASK, url]).copied().collect();
        copied.run(&args).err
    };
    for network in [&["--network", "none"][..], &[], &["--network", "all"]] {
        assert!(ask(network, &url).contains("FAILED"), "{network:?}");
        assert!(ask(network, &named).contains("FAILED"), "{network:?}");
    }
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let place = format!("127.0.0.1:{port}");
    let told = ask(&["--network", "none", "--allow", &place], &url);
    assert!(told.contains("GOT reached"), "{told}");
    // Another port of this machine is another place.
    let (other, others) = server();
    let told = ask(&["--allow", &place], &format!("http://127.0.0.1:{other}/"));
    assert!(told.contains("FAILED"), "{told}");
    assert_eq!((count.load(Ordering::SeqCst), others.load(Ordering::SeqCst)), (1, 0));
}

/// Through the proxy by a name, as to a provider, and what is refused is told at the end.
#[test]
fn a_proxy_connects_to_the_clients_provider_and_names_what_it_refused() {
    let Some(copied) = Copied::new() else { return };
    if !program("python3") {
        return;
    }
    let (port, count) = server();
    let bin = copied.world.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\nunset NO_PROXY no_proxy\n/usr/bin/python3 -c '{ASK}' http://localhost:{port}/v1\n\
         /usr/bin/python3 -c '{ASK}' http://evil.example:{port}/\n/usr/bin/python3 -c '{ASK}' http://localhost:1/\necho \"[$ANTHROPIC_API_KEY]\"\n"
    );
    std::fs::write(bin.join("claude"), script).unwrap();
    std::fs::set_permissions(bin.join("claude"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::set_permissions(&bin, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::join_paths([bin.as_path(), "/usr/bin".as_ref(), "/bin".as_ref()]).unwrap();
    let mut command = copied.command(&["agent", "--json", "--", "claude"]);
    command.env("PATH", path).env("ANTHROPIC_BASE_URL", format!("http://localhost:{port}"));
    let done = done(output(command.env("ANTHROPIC_API_KEY", "k-1")));
    assert!(done.err.contains("GOT reached") && done.err.contains("[k-1]"), "{}", done.err);
    assert_eq!(count.load(Ordering::SeqCst), 1, "{}", done.err);
    let refused = done.json()["refused_hosts"].clone();
    assert_eq!(refused, serde_json::json!([format!("evil.example:{port}"), "localhost:1"]), "{}", done.err);
}

#[test]
fn there_are_no_datagrams() {
    let Some(copied) = Copied::new() else { return };
    if !program("python3") {
        return;
    }
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_nonblocking(true).unwrap();
    let line = format!(
        "import socket\nfor host in ['127.0.0.1', '8.8.8.8']:\n try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', (host, {}))\n \
         except OSError as error: print(host, error)",
        socket.local_addr().unwrap().port()
    );
    let done = copied.run(&["agent", "--network", "all", "--", "/usr/bin/python3", "-c", &line]);
    assert!(done.err.contains("8.8.8.8 [Errno 101]"), "{}", done.err);
    assert!(socket.recv(&mut [0; 8]).is_err());
}
