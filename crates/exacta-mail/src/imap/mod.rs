//! IMAP, as much of it as is needed: log in, list, select, search, fetch, append, move.

mod response;

use crate::account::{Account, Password};
use crate::error::{Failed, MailError, said};
use crate::wire::{Limits, Wire};
use base64ct::{Base64, Encoding as _};
use response::{Response, Status, Token, read};
use zeroize::Zeroizing;

/// What a server may say beside the bytes that were asked for.
const TALK: usize = 4 << 20;

/// The most responses to one command.
const RESPONSES: usize = 20_000;

/// The most folders that are looked at.
const FOLDERS: usize = 5_000;

/// The most messages of a search that anybody looks at: the newest.
const FOUND: usize = 64;

/// A folder that a server gives a purpose (RFC 6154).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Archive,
    Drafts,
    Sent,
}

/// A folder that is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Selected {
    /// Changes when the server numbers its messages again.
    pub(crate) validity: u32,
    pub(crate) messages: u32,
}

/// A message in the selected folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) uid: u32,
    pub(crate) size: u64,
}

/// A connection that is logged in.
pub(crate) struct Session {
    wire: Wire,
    account: String,
    tags: u32,
    capabilities: Vec<String>,
}

impl Purpose {
    pub(crate) const fn mark(self) -> &'static str {
        match self {
            Self::Archive => "\\Archive",
            Self::Drafts => "\\Drafts",
            Self::Sent => "\\Sent",
        }
    }
}

impl Session {
    /// Connects and logs in.
    pub(crate) fn open(account: &Account, password: &Password, limits: Limits) -> Result<Self, MailError> {
        let mut wire = Wire::connect(account.imap(), limits)?;
        wire.within(limits.command);
        let greeting = read(&mut wire, &mut { TALK })?;
        match greeting {
            Response::Status(status) if status.tag.is_none() && status.word == "OK" => {}
            Response::Status(Status { word, text, .. }) if word == "BYE" => {
                return Err(MailError::Unreachable { server: wire.server().to_owned(), why: said(&text) });
            }
            // PREAUTH too: whoever is let in without a password is not known to be the user.
            _ => return Err(wire.strange("it does not greet")),
        }
        let mut session = Self { wire, account: account.name().to_owned(), tags: 0, capabilities: Vec::new() };
        session.ask_capabilities()?;
        session.log_in(account, password)?;
        session.ask_capabilities()?;
        Ok(session)
    }

    /// Whether the connection still works.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.command(b"NOOP", "a sign of life").is_ok()
    }

    /// Says that nothing more comes. Whatever the answer is, nothing depends on it.
    pub(crate) fn log_out(mut self) {
        let _nothing_depends_on_it = self.wire.write(b"bye LOGOUT\r\n");
    }

    /// The folder that the server gives this purpose, as it is named in commands.
    pub(crate) fn folder(&mut self, purpose: Purpose) -> Result<String, MailError> {
        let extended = self.has("SPECIAL-USE") && self.has("LIST-EXTENDED");
        let list: &[u8] = if extended { b"LIST \"\" \"*\" RETURN (SPECIAL-USE)" } else { b"LIST \"\" \"*\"" };
        let answers = self.command(list, "the list of folders")?;
        let mut names: Vec<Vec<u8>> = Vec::new();
        for data in answers.iter().take(FOLDERS) {
            let Some((flags, name)) = listed(data) else { continue };
            let is = |mark: &str| flags.iter().any(|flag| flag.eq_ignore_ascii_case(mark));
            if is(purpose.mark()) && !is("\\NonExistent") && !is("\\Noselect") {
                names.push(name);
            }
        }
        // One and the same every time, in whatever order the server lists them.
        let name = names.into_iter().min();
        let no_folder = || MailError::NoFolder { account: self.account.clone(), mark: purpose.mark() };
        quoted(&name.ok_or_else(no_folder)?).ok_or_else(|| self.wire.strange("a folder whose name cannot be written"))
    }

    /// Opens a folder: to look only, or to change it too.
    pub(crate) fn select(&mut self, folder: &str, to_change: bool) -> Result<Selected, MailError> {
        let word = if to_change { "SELECT" } else { "EXAMINE" };
        let mut validity = None;
        let (data, statuses, done) =
            self.ask(format!("{word} {folder}").as_bytes(), None, TALK, &format!("to open the folder {folder}"))?;
        for status in statuses.iter().chain([&done]) {
            if let Some(("UIDVALIDITY", number)) = status.code.split_once(' ') {
                validity = number.trim().parse().ok();
            }
        }
        if to_change && done.code.eq_ignore_ascii_case("READ-ONLY") {
            return Err(self.refused(&format!("to change the folder {folder}"), b"it is read-only", ""));
        }
        let exists = data.iter().rev().find_map(|data| match data.as_slice() {
            [number, word] if word.is("EXISTS") => number.number(),
            _ => None,
        });
        let messages = exists.and_then(|number| u32::try_from(number).ok());
        match (validity, messages) {
            (Some(validity), Some(messages)) => Ok(Selected { validity, messages }),
            _ => Err(self.wire.strange("a folder without UIDVALIDITY or a count of messages")),
        }
    }

    /// The newest messages of the selected folder, the newest first, with their sizes.
    pub(crate) fn newest(&mut self, selected: Selected, limit: u32) -> Result<Vec<Listed>, MailError> {
        if selected.messages == 0 || limit == 0 {
            return Ok(Vec::new());
        }
        let first = selected.messages.saturating_sub(limit - 1).max(1);
        let command = format!("FETCH {first}:{} (UID RFC822.SIZE)", selected.messages);
        let answers = self.command(command.as_bytes(), "sizes of messages")?;
        let mut found: Vec<Listed> = answers.iter().filter_map(|data| fetched(data)?.listed()).collect();
        found.sort_by_key(|message| std::cmp::Reverse(message.uid));
        found.dedup_by_key(|message| message.uid);
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(found)
    }

    /// A message of the selected folder and its size; `None` if it is gone.
    pub(crate) fn size(&mut self, uid: u32) -> Result<Option<u64>, MailError> {
        let answers = self.command(format!("UID FETCH {uid} (UID RFC822.SIZE)").as_bytes(), "the size of a message")?;
        let found = answers.iter().filter_map(|data| fetched(data)?.listed()).find(|message| message.uid == uid);
        Ok(found.map(|message| message.size))
    }

    /// The bytes of a message of the selected folder, without marking it as read; `None` if it is gone.
    pub(crate) fn message(&mut self, uid: u32, cap: usize) -> Result<Option<Vec<u8>>, MailError> {
        self.wire.within(self.wire.limits.message);
        let command = format!("UID FETCH {uid} (UID BODY.PEEK[])");
        let (data, ..) = self.ask_within(command.as_bytes(), cap.saturating_add(TALK), "a message")?;
        let found = data.into_iter().find_map(|data| {
            let fetched = fetched(&data)?;
            (fetched.uid == Some(uid)).then_some(fetched.body).flatten()
        });
        if found.as_ref().is_some_and(|bytes| bytes.len() > cap) {
            return Err(self.wire.strange("a message that is larger than it said"));
        }
        Ok(found)
    }

    /// The newest messages of the selected folder that fit, by number.
    pub(crate) fn search(&mut self, criteria: &str) -> Result<Vec<u32>, MailError> {
        let answers = self.command(format!("UID SEARCH {criteria}").as_bytes(), "a search")?;
        let mut found = Vec::new();
        for data in &answers {
            if let Some((first, rest)) = data.split_first()
                && first.is("SEARCH")
            {
                found.extend(rest.iter().filter_map(|token| u32::try_from(token.number()?).ok()));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found.split_off(found.len().saturating_sub(FOUND)))
    }

    /// Puts a message into a folder, as a draft.
    pub(crate) fn append(&mut self, folder: &str, bytes: &[u8]) -> Result<(), Failed> {
        let what = format!("a draft in the folder {folder}");
        self.wire.within(self.wire.limits.message);
        let tag = self.tag();
        let command = format!("{tag} APPEND {folder} (\\Draft) {{{}}}\r\n", bytes.len());
        self.wire.write(command.as_bytes()).map_err(Failed::Never)?;
        if let Some(no) = self.wait_to_go_on(&tag).map_err(Failed::Never)? {
            return Err(Failed::Never(self.refused(&what, &no.text, &no.code)));
        }
        self.wire.write(bytes).map_err(Failed::Never)?;
        // Only with this the command is whole.
        self.wire.write(b"\r\n").map_err(Failed::Unanswered)?;
        self.answer(&tag, &what).map(drop)
    }

    /// Moves one message of the selected folder into another.
    pub(crate) fn move_to(&mut self, uid: u32, folder: &str) -> Result<(), Failed> {
        let what = format!("to move a message to {folder}");
        if self.has("MOVE") {
            return self.act(&format!("UID MOVE {uid} {folder}"), &what);
        }
        if !self.has("UIDPLUS") {
            let why = b"it can neither MOVE a message nor expunge one alone (MOVE, UIDPLUS)";
            return Err(Failed::Never(self.refused(&what, why, "")));
        }
        self.act(&format!("UID COPY {uid} {folder}"), &what)?;
        // From here on it is in both, until the last command is answered.
        let torn = |failed: Failed| Failed::Unanswered(MailError::from(failed));
        self.remove(uid).map_err(torn)
    }

    /// Deletes one message of the selected folder, and no other.
    pub(crate) fn remove(&mut self, uid: u32) -> Result<(), Failed> {
        let what = "to delete one message";
        if !self.has("UIDPLUS") {
            return Err(Failed::Never(self.refused(what, b"it cannot expunge one message alone (UIDPLUS)", "")));
        }
        self.act(&format!("UID STORE {uid} +FLAGS.SILENT (\\Deleted)"), what)?;
        self.act(&format!("UID EXPUNGE {uid}"), what)
    }

    fn has(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|has| has == capability)
    }

    fn ask_capabilities(&mut self) -> Result<(), MailError> {
        let answers = self.command(b"CAPABILITY", "what it can do")?;
        let words = answers.into_iter().filter(|data| data.first().is_some_and(|word| word.is("CAPABILITY"))).flatten();
        let atoms = words.filter_map(|token| match token {
            Token::Atom(word) => Some(word.to_ascii_uppercase()),
            _ => None,
        });
        self.capabilities = atoms.take(500).collect();
        Ok(())
    }

    fn log_in(&mut self, account: &Account, password: &Password) -> Result<(), MailError> {
        if !self.wire.is_tls() && !self.wire.is_local {
            return Err(MailError::NotSecure {
                server: self.wire.server().to_owned(),
                why: "without TLS no password is sent".to_owned(),
            });
        }
        let secret = password.expose();
        let tag = self.tag();
        self.wire.within(self.wire.limits.command);
        if self.has("AUTH=PLAIN") {
            self.wire.write(format!("{tag} AUTHENTICATE PLAIN\r\n").as_bytes())?;
            if let Some(no) = self.wait_to_go_on(&tag)? {
                return Err(self.login_refused_by(account, &no, password));
            }
            let plain = Zeroizing::new(format!("\0{}\0{secret}", account.user()));
            let mut line = Zeroizing::new(Base64::encode_string(plain.as_bytes()));
            line.push_str("\r\n");
            self.wire.write(line.as_bytes())?;
        } else if self.has("LOGINDISABLED") {
            return Err(self.login_refused(account, b"it lets nobody log in here", true, password));
        } else {
            let (Some(user), Some(secret)) =
                (quoted(account.user().as_bytes()), quoted(secret.as_bytes()).map(Zeroizing::new))
            else {
                return Err(self.login_refused(
                    account,
                    b"it knows no way to be told a user or password with other letters than ASCII",
                    false,
                    password,
                ));
            };
            let line = Zeroizing::new(format!("{tag} LOGIN {user} {}\r\n", &*secret));
            self.wire.write(line.as_bytes())?;
        }
        let (_, _, status) = self.read_answer(&tag, TALK)?;
        if status.word == "OK" { Ok(()) } else { Err(self.login_refused_by(account, &status, password)) }
    }

    fn login_refused_by(&self, account: &Account, no: &Status, password: &Password) -> MailError {
        let text =
            if no.code.is_empty() { no.text.clone() } else { [b"[", no.code.as_bytes(), b"]", &*no.text].concat() };
        let transient = ["UNAVAILABLE", "INUSE"].iter().any(|word| no.code.eq_ignore_ascii_case(word));
        self.login_refused(account, &text, transient, password)
    }

    /// The refusal of a login, without the password, whatever the server says.
    fn login_refused(&self, account: &Account, text: &[u8], transient: bool, password: &Password) -> MailError {
        let words = Zeroizing::new(String::from_utf8_lossy(text).replace(password.expose(), "…"));
        MailError::LoginRefused {
            server: self.wire.server().to_owned(),
            user: account.user().to_owned(),
            said: said(words.as_bytes()),
            transient,
        }
    }

    fn refused(&self, what: &str, text: &[u8], code: &str) -> MailError {
        let words = if code.is_empty() { text.to_vec() } else { [b"[", code.as_bytes(), b"]", text].concat() };
        let transient =
            ["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG"].iter().any(|word| code.eq_ignore_ascii_case(word));
        MailError::Refused {
            server: self.wire.server().to_owned(),
            what: what.to_owned(),
            said: said(&words),
            transient,
        }
    }

    fn tag(&mut self) -> String {
        self.tags = self.tags.wrapping_add(1);
        format!("a{}", self.tags)
    }

    /// A command that changes nothing, and the data that answers it.
    fn command(&mut self, command: &[u8], what: &str) -> Result<Vec<Vec<Token>>, MailError> {
        Ok(self.ask(command, Some(self.wire.limits.command), TALK, what)?.0)
    }

    fn ask_within(&mut self, command: &[u8], budget: usize, what: &str) -> Result<Answered, MailError> {
        self.ask(command, None, budget, what)
    }

    fn ask(
        &mut self,
        command: &[u8],
        limit: Option<std::time::Duration>,
        budget: usize,
        what: &str,
    ) -> Result<Answered, MailError> {
        self.wire.within(limit.unwrap_or(self.wire.limits.message));
        let tag = self.tag();
        self.wire.write(&[tag.as_bytes(), b" ", command, b"\r\n"].concat())?;
        let answered = self.read_answer(&tag, budget)?;
        if answered.2.word == "OK" {
            return Ok(answered);
        }
        Err(self.refused(what, &answered.2.text, &answered.2.code))
    }

    /// A command that changes something. It is whole only with the end of its line, which is written last and alone.
    fn act(&mut self, command: &str, what: &str) -> Result<(), Failed> {
        self.wire.within(self.wire.limits.message);
        let tag = self.tag();
        self.wire.write(format!("{tag} {command}").as_bytes()).map_err(Failed::Never)?;
        self.wire.write(b"\r\n").map_err(Failed::Unanswered)?;
        self.answer(&tag, what).map(drop)
    }

    fn answer(&mut self, tag: &str, what: &str) -> Result<Status, Failed> {
        let (_, _, status) = self.read_answer(tag, TALK).map_err(Failed::Unanswered)?;
        match status.word.as_str() {
            "OK" => Ok(status),
            "NO" | "BAD" => Err(Failed::Never(self.refused(what, &status.text, &status.code))),
            _ => Err(Failed::Unanswered(self.wire.strange("an answer that is neither yes nor no"))),
        }
    }

    /// Everything up to the answer of a command.
    fn read_answer(&mut self, tag: &str, mut budget: usize) -> Result<Answered, MailError> {
        let (mut data, mut statuses) = (Vec::new(), Vec::new());
        for _ in 0..RESPONSES {
            match read(&mut self.wire, &mut budget)? {
                Response::Continue => return Err(self.wire.strange("it waits for what nobody announced")),
                Response::Data(tokens) => data.push(tokens),
                Response::Status(status) if status.tag.as_deref() == Some(tag) => return Ok((data, statuses, status)),
                Response::Status(status) if status.tag.is_some() => {
                    return Err(self.wire.strange("an answer to another command"));
                }
                Response::Status(status) if status.word == "BYE" => {
                    return Err(MailError::Lost { server: self.wire.server().to_owned(), why: said(&status.text) });
                }
                Response::Status(status) => statuses.push(status),
            }
        }
        Err(self.wire.strange("too many responses to one command"))
    }

    /// Waits until the server wants the rest of a command; or what it says instead.
    fn wait_to_go_on(&mut self, tag: &str) -> Result<Option<Status>, MailError> {
        let mut budget = TALK;
        for _ in 0..RESPONSES {
            match read(&mut self.wire, &mut budget)? {
                Response::Continue => return Ok(None),
                Response::Status(status) if status.tag.as_deref() == Some(tag) => return Ok(Some(status)),
                Response::Status(status) if status.word == "BYE" => {
                    return Err(MailError::Lost { server: self.wire.server().to_owned(), why: said(&status.text) });
                }
                _ => {}
            }
        }
        Err(self.wire.strange("too many responses to one command"))
    }
}

/// Data, statuses without a tag, and the answer itself.
type Answered = (Vec<Vec<Token>>, Vec<Status>, Status);

/// What one `FETCH` response says.
#[derive(Default)]
struct Fetched {
    uid: Option<u32>,
    size: Option<u64>,
    body: Option<Vec<u8>>,
}

impl Fetched {
    fn listed(&self) -> Option<Listed> {
        Some(Listed { uid: self.uid?, size: self.size? })
    }
}

fn fetched(data: &[Token]) -> Option<Fetched> {
    let [_, word, Token::Open, items @ .., Token::Close] = data else { return None };
    if !word.is("FETCH") {
        return None;
    }
    let mut fetched = Fetched::default();
    let mut depth = 0_usize;
    for pair in items.windows(2) {
        let [name, value] = pair else { continue };
        match name {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            name if name.is("UID") => fetched.uid = value.number().and_then(|number| u32::try_from(number).ok()),
            name if name.is("RFC822.SIZE") => fetched.size = value.number(),
            name if name.is("BODY[]") => {
                if let Token::Text(bytes) = value {
                    fetched.body = Some(bytes.clone());
                }
            }
            _ => {}
        }
    }
    Some(fetched)
}

/// The flags and the name of a folder in a `LIST` response.
fn listed(data: &[Token]) -> Option<(Vec<String>, Vec<u8>)> {
    let (word, rest) = data.split_first()?;
    if !word.is("LIST") {
        return None;
    }
    let [Token::Open, rest @ ..] = rest else { return None };
    let end = rest.iter().position(|token| *token == Token::Close)?;
    let flag = |token: &Token| match token {
        Token::Atom(flag) => Some(flag.clone()),
        _ => None,
    };
    let flags = rest.get(..end)?.iter().filter_map(flag).collect();
    let name = match rest.get(end + 2)? {
        Token::Atom(name) => name.as_bytes().to_vec(),
        Token::Text(name) => name.clone(),
        _ => return None,
    };
    Some((flags, name))
}

/// A text between quotes, if it can be written so.
fn quoted(text: &[u8]) -> Option<String> {
    let mut quoted = String::from("\"");
    for byte in text {
        match byte {
            b'"' | b'\\' => {
                quoted.push('\\');
                quoted.push(char::from(*byte));
            }
            b' '..=b'~' => quoted.push(char::from(*byte)),
            _ => return None,
        }
    }
    quoted.push('"');
    Some(quoted)
}
