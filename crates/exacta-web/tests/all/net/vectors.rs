//! Every way to name an address that nobody may reach.

use super::dns::Names;
use super::{PRIVATE, PUBLIC};
use std::net::IpAddr;

pub(crate) enum Expected {
    Refused,
    Read,
    /// Refused, or read from a public address.
    NotPrivate,
}

pub(crate) struct Vector {
    pub(crate) url: String,
    /// What is listed: even then nothing private is reached.
    pub(crate) hosts: Vec<String>,
    pub(crate) expected: Expected,
}

pub(crate) fn all(names: &Names) -> Vec<Vector> {
    let mut out = good(names);
    let private: Vec<IpAddr> = PRIVATE.iter().map(|address| address.parse().unwrap()).collect();
    let public: Vec<IpAddr> = PUBLIC.iter().map(|address| address.parse().unwrap()).collect();
    for (index, address) in private.iter().enumerate() {
        for host in spellings(*address) {
            let listed =
                url::Url::parse(&format!("http://{host}/")).ok().and_then(|url| url.host_str().map(ToOwned::to_owned));
            let hosts = vec![host.clone(), listed.unwrap_or_default(), "site.example".to_owned()];
            out.push(Vector { url: format!("http://{host}/"), hosts: hosts.clone(), expected: Expected::Refused });
            if index % 3 == 0 {
                out.push(Vector {
                    url: format!("http://site.example/to?http://{host}/"),
                    hosts,
                    expected: Expected::Refused,
                });
            }
        }
        let name = format!("inside{index}.example");
        names.set(&name, vec![vec![*address]]);
        out.push(Vector { url: format!("http://{name}/"), hosts: vec![name.clone()], expected: Expected::Refused });
        out.push(Vector { url: format!("https://{name}/"), hosts: vec![name.clone()], expected: Expected::Refused });
        let to = format!("http://site.example/to?http://{name}/");
        out.push(Vector { url: to, hosts: vec![name, "site.example".to_owned()], expected: Expected::Refused });
        let mixed = format!("mixed{index}.example");
        let mut both = vec![public[index % 2], *address, public[2]];
        both.rotate_left(index % 3);
        names.set(&mixed, vec![both]);
        out.push(Vector { url: format!("http://{mixed}/"), hosts: vec![mixed], expected: Expected::Refused });
    }
    out.extend(confusing());
    out
}

fn good(names: &Names) -> Vec<Vector> {
    names.set("site.example", vec![vec![PUBLIC[0].parse().unwrap()]]);
    names.set("other.example", vec![vec![PUBLIC[2].parse().unwrap()]]);
    let listed = || vec!["site.example".to_owned(), "other.example".to_owned(), PUBLIC[0].to_owned()];
    let read = [
        "http://site.example/ok",
        "http://other.example/ok",
        "https://site.example/ok",
        "http://93.184.216.34/ok",
        "https://93.184.216.34/ok",
        "http://0x5db8d822/ok",
        "http://site.example/to?http://other.example/ok",
        "http://site.example/to?//other.example/ok",
        "http://site.example/to?/ok",
        "http://site.example/to?https://site.example/ok",
        "http://site.example/to?to?to?ok",
    ];
    read.iter().map(|url| Vector { url: (*url).to_owned(), hosts: listed(), expected: Expected::Read }).collect()
}

/// An address in every form that some program understands.
fn spellings(address: IpAddr) -> Vec<String> {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            let number = address.to_bits();
            let wide = |text: &str| {
                text.chars()
                    .map(|c| c.to_digit(10).map_or('．', |digit| char::from_u32(0xff10 + digit).unwrap()))
                    .collect::<String>()
            };
            let circled = |text: &str| text.replace('0', "⓪").replace('1', "①").replace('2', "②");
            let dotted = address.to_string();
            vec![
                dotted.clone(),
                number.to_string(),
                format!("0x{number:x}"),
                format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
                format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
                format!("{a}.{}", number & 0xff_ffff),
                format!("{a}.{b}.{}", number & 0xffff),
                format!("{dotted}."),
                wide(&dotted),
                circled(&dotted),
                dotted.replace('.', "。"),
                format!("%3{}{}", a / 100 % 10, dotted.get(1..).unwrap_or_default()),
                format!("[::ffff:{dotted}]"),
                format!("[::{dotted}]"),
                format!("[64:ff9b::{dotted}]"),
                format!("[2002:{:02x}{:02x}:{:02x}{:02x}::]", a, b, c, d),
            ]
        }
        IpAddr::V6(address) => {
            let full = address.segments().map(|part| format!("{part:04X}")).join(":");
            vec![format!("[{address}]"), format!("[{full}]")]
        }
    }
}

/// Addresses that two readers read differently, and schemes that are none of ours.
fn confusing() -> Vec<Vector> {
    let urls = [
        "http://site.example@127.0.0.1/",
        "http://site.example:80@127.0.0.1/",
        "http://127.0.0.1#@site.example/",
        "http://127.0.0.1?@site.example/",
        "http://127.0.0.1\\@site.example/",
        "http://site.example\\@127.0.0.1/",
        "http:/127.0.0.1/",
        "http:127.0.0.1/",
        "http:///127.0.0.1/",
        "http:\\\\127.0.0.1\\",
        "ht\ttp://127.0.0.1/",
        "http://127.0.0.1\t/",
        " http://127.0.0.1/",
        "http://127.0.0.1:80@site.example:81/",
        "http://[::ffff:7f00:1]/",
        "http://[::1%25lo]/",
        "http://localhost/",
        "http://LOCALHOST/",
        "http://localhost./",
        "http://localhost.localdomain/",
        "http://ip6-localhost/",
        "http://0/",
        "http://0.0.0.0/",
        "http://[::]/",
        "http://[0:0:0:0:0:ffff:127.0.0.1]/",
        "http://127.0.0.1.nip.example/",
        "http://127.0.0.1:8080/",
        "http://127.0.0.1:443/",
        "https://127.0.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:80/_x",
        "ftp://127.0.0.1/",
        "dict://127.0.0.1:80/",
        "ldap://127.0.0.1/",
        "data:text/html,private",
        "javascript:1",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
        "http://127.0.0.1%00.site.example/",
        "http://127.0.0.1%2f.site.example/",
        "http://site.example%2f@127.0.0.1/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
        "http://[ff02::1]/",
        "http://[fe80::1]/",
    ];
    let hosts: Vec<String> = [
        "127.0.0.1",
        "localhost",
        "site.example",
        "localhost.",
        "localhost.localdomain",
        "ip6-localhost",
        "0.0.0.0",
        "[::]",
        "[::1]",
        "[::ffff:7f00:1]",
        "127.0.0.1.nip.example",
        "127.0.0.1:8080",
        "224.0.0.1",
        "255.255.255.255",
        "[ff02::1]",
        "[fe80::1]",
    ]
    .iter()
    .map(|host| (*host).to_owned())
    .collect();
    let direct = urls.iter().map(|url| (*url).to_owned());
    let led = urls
        .iter()
        .filter(|url| !url.contains(['\t', '#']))
        .map(|url| format!("http://site.example/to?{}", url.trim()));
    direct.chain(led).map(|url| Vector { url, hosts: hosts.clone(), expected: Expected::NotPrivate }).collect()
}
