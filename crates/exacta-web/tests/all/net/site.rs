//! Sites on the public addresses, and those who count on the private ones.

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What each site does, and what reading it comes to.
pub(crate) const CASES: [(&str, &str); 45] = [
    ("http://site.example/ok", "page 200 a good page"),
    ("http://site.example/chunks", "page 200 a good page"),
    ("http://site.example/gzip", "page 200 a good page"),
    ("http://site.example/deflate", "page 200 a good page"),
    ("http://site.example/close", "page 200 a good page"),
    ("http://site.example/interim", "page 200 a good page"),
    ("http://site.example/refresh", "page 200 <meta http-equiv=ref"),
    ("http://site.example/missing", "page 404"),
    ("http://site.example/to?http://other.example/ok", "page 200 a good page"),
    ("http://site.example/to?/to?/to?/ok", "page 200 a good page"),
    ("http://site.example/to?/to?/to?/to?/ok", "WEB_REDIRECT_REFUSED"),
    ("http://site.example/to?/to?", "WEB_BAD_ANSWER"),
    ("http://site.example/loop", "WEB_REDIRECT_REFUSED"),
    ("http://site.example/to?http://unlisted.example/ok", "WEB_REDIRECT_REFUSED"),
    ("http://site.example/to?http://user@site.example/ok", "WEB_REDIRECT_REFUSED"),
    ("http://site.example/to?file:///etc/passwd", "WEB_REDIRECT_REFUSED"),
    ("https://site.example/ok", "page 200 a good page"),
    ("https://site.example/to?http://site.example/ok", "WEB_REDIRECT_REFUSED"),
    ("https://site.example/cut-tls", "WEB_CUT_SHORT"),
    ("https://wrong.example/ok", "WEB_UNTRUSTED"),
    ("https://site.example:8443/ok", "WEB_UNTRUSTED"),
    ("http://site.example:81/ok", "WEB_UNREACHABLE"),
    ("http://missing.example/ok", "WEB_NAME_UNKNOWN"),
    ("http://silent.example/ok", "WEB_NAME_UNKNOWN"),
    ("http://site.example/bomb", "WEB_TOO_LARGE"),
    ("http://site.example/bomb-twice", "WEB_BAD_ANSWER"),
    ("http://site.example/packed-inside", "WEB_BAD_ANSWER"),
    ("http://site.example/brotli", "WEB_BAD_ANSWER"),
    ("http://site.example/endless", "WEB_TOO_LARGE"),
    ("http://site.example/endless-chunks", "WEB_TOO_LARGE"),
    ("http://site.example/long", "WEB_TOO_LARGE"),
    ("http://site.example/drip", "WEB_TIMEOUT"),
    ("http://site.example/drip-head", "WEB_TIMEOUT"),
    ("http://site.example/mute", "WEB_TIMEOUT"),
    ("https://site.example/drip", "WEB_TIMEOUT"),
    ("http://site.example/huge-head", "WEB_TOO_LARGE"),
    ("http://site.example/many-headers", "WEB_TOO_LARGE"),
    ("http://site.example/two-lengths", "WEB_BAD_ANSWER"),
    ("http://site.example/length-and-chunks", "WEB_BAD_ANSWER"),
    ("http://site.example/bad-chunk", "WEB_BAD_ANSWER"),
    ("http://site.example/cut", "WEB_CUT_SHORT"),
    ("http://site.example/cut-gzip", "WEB_CUT_SHORT"),
    ("http://site.example/not-modified", "WEB_BAD_ANSWER"),
    ("http://site.example/image", "WEB_TYPE"),
    ("http://site.example/not-http", "WEB_BAD_ANSWER"),
];

pub(crate) struct Sites {
    /// How often somebody came who may not.
    pub(crate) hits: Arc<AtomicUsize>,
}

impl Sites {
    pub(crate) fn start(folder: &Path) -> Self {
        let sites = Self { hits: Arc::default() };
        for (port, name) in [(80, None), (8080, None), (443, Some("site")), (8443, Some("stranger"))] {
            let tls = name.map(|name| Arc::new(config(folder, name)));
            // It takes those who come by IPv4 too.
            let listener = TcpListener::bind(format!("[::]:{port}")).unwrap();
            let hits = sites.hits.clone();
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let (hits, tls) = (hits.clone(), tls.clone());
                    std::thread::spawn(move || serve(stream, &hits, tls));
                }
            });
        }
        sites
    }

    /// Waits for those who are on the way.
    pub(crate) fn settle(&self) {
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn config(folder: &Path, name: &str) -> ServerConfig {
    let certificate = CertificateDer::from_pem_file(folder.join(format!("{name}.pem"))).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join(format!("{name}.key"))).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    versions.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap()
}

fn serve(mut stream: TcpStream, hits: &AtomicUsize, tls: Option<Arc<ServerConfig>>) {
    let Ok(here) = stream.local_addr() else { return };
    let here = match here.ip() {
        IpAddr::V6(address) => address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4),
        address => address,
    };
    if !super::PUBLIC.contains(&here.to_string().as_str()) {
        hits.fetch_add(1, Ordering::SeqCst);
        let _sent = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 7\r\n\r\nprivate");
        return;
    }
    match tls {
        None => answer(&mut stream),
        Some(config) => {
            let mut secure = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
            // It ends without saying so in TLS.
            answer(&mut secure);
        }
    }
}

const PAGE: &[u8] = b"a good page";

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// 200 MB, packed.
fn bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..200 {
        encoder.write_all(&vec![b' '; 1_000_000]).unwrap();
    }
    encoder.finish().unwrap()
}

fn answer(stream: &mut (impl Read + Write)) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => request.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let _sent = reply(stream, &path, &request);
    let _flushed = stream.flush();
}

fn whole(stream: &mut impl Write, head: &str, body: &[u8]) -> std::io::Result<()> {
    stream.write_all(
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n{head}\r\n", body.len())
            .as_bytes(),
    )?;
    stream.write_all(body)
}

fn reply(stream: &mut impl Write, path: &str, request: &str) -> std::io::Result<()> {
    const START: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let say = |stream: &mut dyn Write, text: &str| stream.write_all(text.as_bytes());
    if let Some((_, to)) = path.split_once("/to?") {
        let to = if path.starts_with("/to?") { to } else { path };
        return say(
            stream,
            &format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"),
        );
    }
    assert!(!request.to_ascii_lowercase().contains("cookie"), "{request}");
    match path {
        "/ok" | "/tagged?2" | "/" => whole(stream, "", PAGE),
        "/tagged" if request.contains("If-None-Match: \"one\"") => say(stream, "HTTP/1.1 304 Not Modified\r\n\r\n"),
        "/tagged" => whole(stream, "ETag: \"one\"\r\nRetry-After: 7\r\n", PAGE),
        "/chunks" => say(
            stream,
            &format!(
                "{START}Transfer-Encoding: chunked\r\n\r\n6;x=y\r\na good\r\n5\r\n page\r\n0\r\nTrailer: x\r\n\r\n"
            ),
        ),
        "/gzip" => whole(stream, "Content-Encoding: gzip\r\n", &packed(PAGE)),
        "/deflate" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(PAGE)?;
            whole(stream, "Content-Encoding: deflate\r\n", &encoder.finish()?)
        }
        "/close" => say(stream, &format!("{START}\r\na good page")),
        "/interim" => {
            say(stream, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")?;
            whole(stream, "", PAGE)
        }
        "/refresh" => whole(stream, "", b"<meta http-equiv=refresh content='0;url=http://127.0.0.1/'>"),
        "/loop" => say(stream, "HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n"),
        "/cut-tls" => say(stream, &format!("{START}Content-Length: 100\r\n\r\na good page")),
        "/bomb" => whole(stream, "Content-Encoding: gzip\r\n", &bomb()),
        "/bomb-twice" => whole(stream, "Content-Encoding: gzip, gzip\r\n", &packed(&bomb())),
        "/packed-inside" => whole(stream, "Content-Encoding: gzip\r\n", &packed(&bomb())),
        "/brotli" => whole(stream, "Content-Encoding: br\r\n", PAGE),
        "/endless" => {
            say(stream, &format!("{START}\r\n"))?;
            loop {
                stream.write_all(&[b'x'; 65_536])?;
            }
        }
        "/endless-chunks" => {
            say(stream, &format!("{START}Transfer-Encoding: chunked\r\n\r\n"))?;
            loop {
                say(stream, "1\r\nx\r\n")?;
            }
        }
        "/long" => say(stream, &format!("{START}Content-Length: 99999999999999999999\r\n\r\nx")),
        "/drip" => {
            say(stream, &format!("{START}Content-Length: 1000\r\n\r\n"))?;
            loop {
                say(stream, "x")?;
                stream.flush()?;
                std::thread::sleep(Duration::from_millis(300));
            }
        }
        "/drip-head" => {
            say(stream, START)?;
            loop {
                say(stream, "X: y\r\n")?;
                std::thread::sleep(Duration::from_millis(300));
            }
        }
        "/mute" => {
            std::thread::sleep(Duration::from_secs(25));
            Ok(())
        }
        "/huge-head" => {
            say(stream, START)?;
            stream.write_all(&[b'X'; 4 * 1024 * 1024])?;
            say(stream, ": y\r\n\r\n")
        }
        "/many-headers" => say(stream, &format!("{START}{}\r\n", "A: b\r\n".repeat(500))),
        "/two-lengths" => say(stream, &format!("{START}Content-Length: 11\r\nContent-Length: 5\r\n\r\na good page")),
        "/length-and-chunks" => {
            say(stream, &format!("{START}Content-Length: 11\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
        }
        "/bad-chunk" => say(stream, &format!("{START}Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n")),
        "/cut" => say(stream, &format!("{START}Content-Length: 100\r\n\r\na good page")),
        "/cut-gzip" => {
            let whole_page = packed(&vec![b'x'; 5_000]);
            whole(stream, "Content-Encoding: gzip\r\n", &whole_page[..whole_page.len() / 2])
        }
        "/not-modified" => say(stream, "HTTP/1.1 304 Not Modified\r\n\r\n"),
        "/image" => say(stream, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1\r\n\r\nx"),
        "/not-http" => say(stream, "220 mail ready\r\n"),
        _ => say(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
    }
}
