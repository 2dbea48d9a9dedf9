//! An effector over HTTP: pages that are posted and deleted, each act with its key.

use crate::{Answer, Direction, Effector, Fault, IdempotencyKey, Reversal, Seen, Trace};
use exacta_kernel::effect::Effect;
use exacta_kernel::facts::{FileContent, FileState};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

pub(super) const ACT: &str = "post_page";

pub(super) struct Web {
    pub(super) at: SocketAddr,
}

/// An act that nobody can reverse, and nobody can see afterwards.
pub(super) struct Final;

impl Effector for Final {
    fn performs(&self, act: &str) -> bool {
        act == ACT
    }

    fn reversal(&self, _act: &str) -> Reversal {
        Reversal::None
    }

    fn look(&self, _trace: &Trace) -> Result<Seen, Fault> {
        Ok(Seen::Before)
    }

    fn settle(&self, _trace: &Trace, _tried: Direction, _key: &IdempotencyKey) -> Result<Seen, Fault> {
        Ok(Seen::Done)
    }

    fn perform(&self, _effect: &Effect, _trace: &Trace) -> Answer {
        Answer::Done
    }

    fn compensate(&self, _trace: &Trace, _key: &IdempotencyKey) -> Answer {
        Answer::Done
    }
}

impl Effector for Web {
    fn performs(&self, act: &str) -> bool {
        act == ACT
    }

    fn reversal(&self, _act: &str) -> Reversal {
        Reversal::Compensated
    }

    fn look(&self, trace: &Trace) -> Result<Seen, Fault> {
        let (code, body) = self.ask("GET", trace.place.as_str(), &[], "")?;
        if code != 200 {
            return Err(Fault(format!("status {code}")));
        }
        let copies: Vec<(&str, &str)> = body.lines().filter_map(|line| line.split_once(' ')).collect();
        Ok(match copies.as_slice() {
            [] => Seen::Before,
            [(key, text)] if *key == trace.key.as_str() && state(text) == trace.after => Seen::Done,
            [_] => Seen::Other("the page has other content".to_owned()),
            more => Seen::Other(format!("the page is there {} times", more.len())),
        })
    }

    fn settle(&self, trace: &Trace, _tried: Direction, key: &IdempotencyKey) -> Result<Seen, Fault> {
        // From here on an act of this key that is still on its way is refused.
        match self.ask("FENCE", key.as_str(), &[], "")? {
            (200, _) => self.look(trace),
            (code, _) => Err(Fault(format!("status {code}"))),
        }
    }

    fn perform(&self, effect: &Effect, trace: &Trace) -> Answer {
        let text = str::from_utf8(effect.content().unwrap().bytes()).unwrap();
        self.act("POST", trace, trace.key.as_str(), text)
    }

    fn compensate(&self, trace: &Trace, key: &IdempotencyKey) -> Answer {
        self.act("DELETE", trace, key.as_str(), "")
    }
}

impl Web {
    fn act(&self, method: &str, trace: &Trace, key: &str, body: &str) -> Answer {
        let text = format!("text of {}", trace.step);
        match self.ask(method, trace.place.as_str(), &[("Idempotency-Key", key), ("If-Match", &text)], body) {
            Ok((200, _)) => Answer::Done,
            Ok((code, _)) => Answer::NotDone(Fault(format!("status {code}"))),
            Err(fault) => Answer::Lost(fault),
        }
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Result<(u16, String), Fault> {
        let lost = |error: std::io::Error| Fault(error.to_string());
        let mut stream = TcpStream::connect(self.at).map_err(lost)?;
        stream.set_read_timeout(Some(Duration::from_secs(10))).map_err(lost)?;
        let mut request = format!("{method} /{path} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).map_err(lost)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(lost)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| Fault("the answer was cut off".to_owned()))?;
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Ok((code.ok_or_else(|| Fault("no status".to_owned()))?, body.to_owned()))
    }
}

fn state(text: &str) -> FileState {
    FileState::of(Some(&FileContent::new(text.as_bytes().to_vec(), 0o600)))
}
