//! SMTP submission: one message, once. What becomes of it is known to the byte: before its content nothing can have been sent, and
//! from its last dot on only the server's answer tells.

use crate::account::{Account, Password};
use crate::error::{Failed, MailError, said};
use crate::outgoing::Outgoing;
use crate::wire::{Limits, Wire};
use base64ct::{Base64, Encoding as _};
use zeroize::Zeroizing;

/// The longest line of an answer.
const LINE: usize = 4 << 10;

/// The most lines of an answer.
const LINES: usize = 100;

/// A connection that is logged in.
pub(crate) struct Submission {
    wire: Wire,
    offers: Vec<String>,
}

/// What a server answers: its code, and its words.
struct Reply {
    code: u16,
    lines: Vec<Vec<u8>>,
}

impl Submission {
    /// Connects, begins TLS unless the server is this machine, and logs in.
    pub(crate) fn open(account: &Account, password: &Password, limits: Limits) -> Result<Self, MailError> {
        let mut wire = Wire::connect(account.smtp(), limits)?;
        wire.within(limits.command);
        let mut submission = Self { wire, offers: Vec::new() };
        submission.expect("to be greeted", 220)?;
        submission.hello()?;
        if !submission.wire.is_tls() {
            submission.secure()?;
        }
        submission.log_in(account, password)?;
        Ok(submission)
    }

    /// Hands a message over.
    pub(crate) fn send(&mut self, message: &Outgoing<'_>) -> Result<(), Failed> {
        self.announce(message).map_err(Failed::Never)?;
        self.wire.within(self.wire.limits.message);
        // Without the dot that ends it a server never accepts what it got.
        self.wire.write(&message.stuffed()).map_err(|error| Failed::Never(not_again(error)))?;
        self.wire.write(b".\r\n").map_err(Failed::Unanswered)?;
        let reply = self.reply().map_err(Failed::Unanswered)?;
        match reply.code {
            200..=299 => Ok(()),
            400..=599 => Err(Failed::Never(not_again(self.refused("the message", &reply)))),
            _ => Err(Failed::Unanswered(self.wire.strange("an answer to a message that is neither yes nor no"))),
        }
    }

    /// Says goodbye. Whatever the answer is, nothing depends on it.
    pub(crate) fn quit(mut self) {
        let _nothing_depends_on_it = self.wire.write(b"QUIT\r\n");
    }

    /// Everything before the content.
    fn announce(&mut self, message: &Outgoing<'_>) -> Result<(), MailError> {
        let mut from = format!("MAIL FROM:<{}>", message.from);
        if !message.bytes.is_ascii() {
            if !self.offers("8BITMIME") {
                return Err(self.refused_by_us("the message", "it takes nothing but ASCII (it lacks 8BITMIME)"));
            }
            from.push_str(" BODY=8BITMIME");
        }
        if self.offers("SIZE") {
            from.push_str(&format!(" SIZE={}", message.bytes.len()));
        }
        self.command(&from, "the sender", 250)?;
        for to in &message.to {
            let reply = self.ask(&format!("RCPT TO:<{to}>"))?;
            if !matches!(reply.code, 250 | 251) {
                return Err(self.refused(&format!("the recipient `{to}`"), &reply));
            }
        }
        self.command("DATA", "to begin the message", 354)
    }

    fn hello(&mut self) -> Result<(), MailError> {
        // The name of this machine is nobody's business.
        let reply = self.ask("EHLO [127.0.0.1]")?;
        if reply.code != 250 {
            return Err(self.refused("to be greeted", &reply));
        }
        let words = reply.lines.iter().skip(1).map(|line| String::from_utf8_lossy(line).trim().to_ascii_uppercase());
        self.offers = words.collect();
        Ok(())
    }

    fn secure(&mut self) -> Result<(), MailError> {
        if !self.offers("STARTTLS") {
            if self.wire.is_local {
                return Ok(());
            }
            let why = "it offers no TLS (STARTTLS), and without it nothing is sent".to_owned();
            return Err(MailError::NotSecure { server: self.wire.server().to_owned(), why });
        }
        self.command("STARTTLS", "TLS", 220)?;
        self.wire.start_tls()?;
        self.hello()
    }

    fn log_in(&mut self, account: &Account, password: &Password) -> Result<(), MailError> {
        let ways = self.offers.iter().find_map(|line| line.strip_prefix("AUTH")).unwrap_or_default().to_owned();
        let has = |way: &str| ways.split([' ', '=']).any(|word| word == way);
        let encoded = |text: &str| Zeroizing::new(Base64::encode_string(text.as_bytes()));
        let secret = password.expose();
        let reply = if has("PLAIN") {
            let plain = Zeroizing::new(format!("\0{}\0{secret}", account.user()));
            self.ask(&Zeroizing::new(format!("AUTH PLAIN {}", &*encoded(&plain))))?
        } else if has("LOGIN") {
            let mut reply = self.ask("AUTH LOGIN")?;
            for word in [account.user(), secret] {
                if reply.code != 334 {
                    break;
                }
                reply = self.ask(&encoded(word))?;
            }
            reply
        } else if self.wire.is_local {
            // A server of the user's own machine may know them without.
            return Ok(());
        } else {
            return Err(self.login_refused(account, b"it offers neither AUTH PLAIN nor AUTH LOGIN", false, password));
        };
        if reply.code == 235 {
            return Ok(());
        }
        Err(self.login_refused(account, &reply.words(), (400..500).contains(&reply.code), password))
    }

    fn login_refused(&self, account: &Account, text: &[u8], transient: bool, password: &Password) -> MailError {
        let words = Zeroizing::new(String::from_utf8_lossy(text).replace(password.expose(), "…"));
        let (server, user) = (self.wire.server().to_owned(), account.user().to_owned());
        MailError::LoginRefused { server, user, said: said(words.as_bytes()), transient }
    }

    fn offers(&self, word: &str) -> bool {
        self.offers.iter().any(|line| line.split(' ').next() == Some(word))
    }

    fn command(&mut self, command: &str, what: &str, good: u16) -> Result<(), MailError> {
        let reply = self.ask(command)?;
        if reply.code == good { Ok(()) } else { Err(self.refused(what, &reply)) }
    }

    fn expect(&mut self, what: &str, good: u16) -> Result<(), MailError> {
        let reply = self.reply()?;
        if reply.code == good { Ok(()) } else { Err(self.refused(what, &reply)) }
    }

    /// One command, one answer: nothing is sent before the answer to what came before it.
    fn ask(&mut self, command: &str) -> Result<Reply, MailError> {
        self.wire.within(self.wire.limits.command);
        let line = Zeroizing::new(format!("{command}\r\n"));
        self.wire.write(line.as_bytes())?;
        self.reply()
    }

    fn reply(&mut self) -> Result<Reply, MailError> {
        let mut reply = Reply { code: 0, lines: Vec::new() };
        for _ in 0..LINES {
            let line = self.wire.line(LINE)?;
            let (code, rest) = line.split_at_checked(3).ok_or_else(|| self.wire.strange("an answer without a code"))?;
            let code = str::from_utf8(code).ok().and_then(|code| code.parse().ok());
            let code = code
                .filter(|code| (200..600).contains(code))
                .ok_or_else(|| self.wire.strange("an answer without a code"))?;
            if !reply.lines.is_empty() && code != reply.code {
                return Err(self.wire.strange("an answer with two codes"));
            }
            reply.code = code;
            let goes_on = rest.first() == Some(&b'-');
            reply.lines.push(rest.get(1..).unwrap_or_default().to_vec());
            if !goes_on {
                return Ok(reply);
            }
        }
        Err(self.wire.strange("an answer without an end"))
    }

    fn refused(&self, what: &str, reply: &Reply) -> MailError {
        let server = self.wire.server().to_owned();
        let transient = (400..500).contains(&reply.code);
        MailError::Refused { server, what: what.to_owned(), said: said(&reply.words()), transient }
    }

    fn refused_by_us(&self, what: &str, why: &str) -> MailError {
        let server = self.wire.server().to_owned();
        MailError::Refused { server, what: what.to_owned(), said: why.to_owned(), transient: false }
    }
}

impl Reply {
    fn words(&self) -> Vec<u8> {
        [self.code.to_string().as_bytes(), b" ", &self.lines.join(&b' ')].concat()
    }
}

/// The content was begun: it did not happen, but it is not tried again by itself either.
fn not_again(error: MailError) -> MailError {
    match error {
        MailError::Refused { server, what, said, .. } => MailError::Refused { server, what, said, transient: false },
        MailError::Lost { server, why } => MailError::Refused {
            server,
            what: "the message".to_owned(),
            said: format!("the connection was lost before its end: {why}"),
            transient: false,
        },
        other => other,
    }
}
