//! What a reader of a message should know before believing it.

/// One reason to doubt what a message says of itself. Every text in it is inert and short.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Doubt {
    /// No address of a sender.
    #[error("it has no sender")]
    NoSender,
    /// A field that may be there once.
    #[error("it has `{name}` {times} times")]
    Repeated {
        /// Which.
        name: String,
        /// How often.
        times: usize,
    },
    /// More than one sender.
    #[error("it has {0} senders")]
    SeveralSenders(usize),
    /// A name that reads as an address, and is not the address.
    #[error("the name `{name}` reads as an address, but the address is `{address}`")]
    NameIsAddress {
        /// As shown.
        name: String,
        /// The one that counts.
        address: String,
    },
    /// An address beside a comment.
    #[error("`{0}` has a comment beside or within the address")]
    Comment(String),
    /// An address in a group.
    #[error("`{0}` names a group")]
    Group(String),
    /// Something that cannot be read in one way.
    #[error("`{0}` is no well-formed address")]
    Malformed(String),
    /// Other letters in an address, spelled out.
    #[error("the address `{address}` has letters that are not ASCII: {letters}")]
    OtherLetters {
        /// As shown.
        address: String,
        /// Which.
        letters: String,
    },
    /// A host in its ASCII form.
    #[error("the address `{0}` has a host in `xn--` form, which mail programs may show as another")]
    Punycode(String),
    /// Letters of two scripts in one word.
    #[error("`{0}` mixes letters of different scripts in one word")]
    MixedScripts(String),
    /// `Sender` or `Reply-To` is somebody else.
    #[error("answers go to `{0}`, who is not the sender")]
    AnswersElsewhere(String),
    /// `Sender` is somebody else.
    #[error("it was sent by `{0}`, who is not the one it is from")]
    SentByAnother(String),
    /// Line ends or other control characters hidden in an encoded header.
    #[error("a header has control characters in encoded form")]
    ControlInHeader,
    /// A line of the header is no field.
    #[error("a line of its header is no field")]
    MalformedHeader,
    /// Something was left out.
    #[error("{0} was left out for its size")]
    LeftOut(&'static str),
    /// Multiparts in multiparts.
    #[error("its parts are nested too deeply: the inner ones are not read")]
    TooDeep,
    /// A charset that is not what the bytes are.
    #[error("its text is not what its charset `{0}` says")]
    LyingCharset(String),
    /// A charset that nobody knows.
    #[error("its charset `{0}` is not known")]
    UnknownCharset(String),
    /// Broken base64 or quoted-printable, or another encoding.
    #[error("a part is not encoded as it says")]
    BrokenEncoding,
    /// Characters that hide or steer.
    #[error("characters that hide or steer are shown as escapes: {0}")]
    HiddenCharacters(usize),
    /// Text that a mail program does not show.
    #[error("hidden HTML text was dropped: {0} characters")]
    HiddenHtml(usize),
    /// A hidden element without an end.
    #[error("a hidden HTML element has no end: its text is shown")]
    HiddenWithoutEnd,
    /// Text and HTML say different things.
    #[error("its text and its HTML say different things: the text is shown")]
    VersionsDiffer,
    /// What would be loaded from elsewhere.
    #[error("references to content elsewhere, none of them followed: {0}")]
    RemoteContent(usize),
    /// Who signed and checked it.
    #[error("it says that it was authenticated (`Authentication-Results`), which anybody can write: not believed")]
    ClaimsAuthentication,
    /// Line ends of both kinds.
    #[error("it mixes line ends, as smuggled messages do")]
    MixedLineEnds,
    /// A dot alone between line ends that are not CR LF.
    #[error("it has an end of message within: it may hold a smuggled second message")]
    Smuggled,
}

/// The most that is kept: the first say enough.
const MOST: usize = 50;

/// Doubts as they come up, each once.
#[derive(Debug, Default)]
pub(super) struct Doubts(Vec<Doubt>);

impl Doubts {
    pub(super) fn add(&mut self, doubt: Doubt) {
        if self.0.len() < MOST && !self.0.contains(&doubt) {
            self.0.push(doubt);
        }
    }

    pub(super) fn extend(&mut self, doubts: impl IntoIterator<Item = Doubt>) {
        doubts.into_iter().for_each(|doubt| self.add(doubt));
    }

    pub(super) fn add_if(&mut self, is: bool, doubt: Doubt) {
        if is {
            self.add(doubt);
        }
    }

    pub(super) fn into_list(self) -> Vec<Doubt> {
        self.0
    }
}
