//! A name server that answers what a test wants: the same name may lead elsewhere each time.

use std::collections::BTreeMap;
use std::net::{IpAddr, UdpSocket};
use std::sync::{Arc, Mutex};

type Turns = Vec<Vec<IpAddr>>;

#[derive(Clone)]
pub(crate) struct Names(Arc<Mutex<Answers>>);

/// By name: what is answered in turn, and how often each family was asked for.
type Answers = BTreeMap<String, (Turns, [usize; 2])>;

impl Names {
    pub(crate) fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:53").unwrap();
        let names = Self(Arc::default());
        let answering = names.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 2048];
            while let Ok((length, from)) = socket.recv_from(&mut buffer) {
                if let Some(answer) = answering.answer(&buffer[..length]) {
                    let _sent = socket.send_to(&answer, from);
                }
            }
        });
        names
    }

    /// The addresses of a name, one list for each time somebody asks.
    pub(crate) fn set(&self, name: &str, turns: Turns) {
        self.0.lock().unwrap().insert(name.to_owned(), (turns, [0, 0]));
    }

    /// A name about which nothing is ever said.
    pub(crate) fn silent(&self, name: &str) {
        self.set(name, Vec::new());
    }

    fn answer(&self, query: &[u8]) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        let mut at = 12;
        while query[at] != 0 {
            let length = usize::from(query[at]);
            name.push(String::from_utf8_lossy(&query[at + 1..at + 1 + length]).to_lowercase());
            at += length + 1;
        }
        let kind = u16::from_be_bytes([query[at + 1], query[at + 2]]);
        let question = &query[12..at + 5];
        let mut names = self.0.lock().unwrap();
        let found = names.get_mut(&name.join("."));
        let known = found.is_some();
        let addresses: Vec<IpAddr> = match found {
            Some((turns, _)) if turns.is_empty() => return None,
            Some((turns, asked)) => {
                let asked = &mut asked[usize::from(kind == 28)];
                let turn = turns[*asked % turns.len()].clone();
                *asked += 1;
                turn.into_iter()
                    .filter(|address| matches!((address, kind), (IpAddr::V4(_), 1) | (IpAddr::V6(_), 28)))
                    .collect()
            }
            None => Vec::new(),
        };
        let mut out = Vec::from(&query[..2]);
        out.extend([0x81, if known { 0x80 } else { 0x83 }, 0, 1, 0, addresses.len() as u8, 0, 0, 0, 0]);
        out.extend(question);
        for address in addresses {
            out.extend([0xc0, 12, 0, kind as u8, 0, 1, 0, 0, 0, 0]);
            match address {
                IpAddr::V4(address) => out.extend([0, 4].into_iter().chain(address.octets())),
                IpAddr::V6(address) => out.extend([0, 16].into_iter().chain(address.octets())),
            }
        }
        Some(out)
    }
}
