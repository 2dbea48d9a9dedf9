//! Security impact: changes where a mistake opens a door.

use super::reason;
use crate::assess::Reason;
use crate::diff::{ChangeKind, LineChange};
use crate::facts::FileContent;
use crate::facts::source::Area;
use crate::prelude::*;
use crate::scan::Signals;
use crate::scan::change::FileChange;
use crate::scan::lexicon::AREA;
use crate::scan::source::{Role, code, language};

/// For each area and file.
const AREA_POINTS: u32 = 2;

/// +2 for each area that a changed file lies in, whose calls or imports its changed lines have, or whose words, outside tests
/// and documentation; +5 a
/// doubtful secret or danger or a hidden character, +15 a certain one; +3 a file that becomes executable; +5 a file with an added line
/// that is too long to be read as code.
pub(super) fn reasons(changes: &[FileChange<'_>], signals: &Signals) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for change in changes {
        if !matches!(change.role, Role::Test | Role::Docs) {
            reasons.extend(areas(change));
        }
        if let Some((line, length)) = change.long_line {
            let message = format!("adds a line of {length} bytes, too long to be read as code");
            reasons.push(reason(5, message, change.place(line)));
        }
        let executable = |content: Option<&FileContent>| content.is_some_and(FileContent::is_executable);
        if executable(change.after) && !executable(change.before) {
            reasons.push(reason(3, "makes the file executable", change.place(None)));
        }
    }
    reasons.extend(found(signals));
    reasons
}

fn found(signals: &Signals) -> Vec<Reason> {
    let points = |certain: bool| if certain { 15 } else { 5 };
    let secrets = signals.secrets.iter().map(|secret| {
        reason(points(secret.certain), format!("adds what looks like a secret: {}", secret.what), secret.place.clone())
    });
    let dangers =
        signals.dangers.iter().map(|danger| reason(points(danger.certain), danger.what.clone(), danger.place.clone()));
    let hidden = signals
        .hidden
        .iter()
        .map(|hidden| reason(5, format!("contains a {}", hidden.kind.name()), hidden.place.clone()));
    secrets.chain(dangers).chain(hidden).collect()
}

/// The areas that one file's change touches, each once.
fn areas(change: &FileChange<'_>) -> Vec<Reason> {
    let mut found: BTreeMap<Area, Reason> = BTreeMap::new();
    for word in change.path.as_str().split(|c: char| !c.is_ascii_alphanumeric()) {
        if let Some(area) = of_path(&word.to_lowercase()) {
            found.entry(area).or_insert_with(|| {
                reason(AREA_POINTS, format!("lies in an area of {}", area.name()), change.place(None))
            });
        }
    }
    for used in change.code.into_iter().flat_map(|code| &code.areas) {
        let message = format!("changes code of {}: `{}`", used.area.name(), used.what);
        found.entry(used.area).or_insert_with(|| reason(AREA_POINTS, message, change.place(used.line)));
    }
    if let Some(language) = language(change.path.name()) {
        for line in change.marked(AREA) {
            for area in of_code(&code(line.bytes, language)).into_iter().chain(of_text(line)) {
                let place = change.place((line.kind == ChangeKind::Added).then_some(line.line));
                found
                    .entry(area)
                    .or_insert_with(|| reason(AREA_POINTS, format!("changes code of {}", area.name()), place));
            }
        }
    }
    found.into_values().collect()
}

/// The areas that a line's identifiers betray, whole (`shell_exec`) or in part (`hashPassword`).
fn of_code(code: &[u8]) -> BTreeSet<Area> {
    let identifiers = code.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    identifiers
        .filter(|word| word.len() > 2)
        .flat_map(|word| core::iter::once(word).chain(parts(word)))
        .filter_map(of_word)
        .collect()
}

/// The parts of `camelCase` and `snake_case`; none for a word of one part.
fn parts(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    let hump = |pair: &[u8; 2]| pair[1] == b'_' || (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let mut cuts: Vec<usize> =
        word.array_windows::<2>().enumerate().filter(|(_, pair)| hump(pair)).map(|(at, _)| at + 1).collect();
    if !cuts.is_empty() {
        cuts.push(word.len());
    }
    let mut start = 0;
    cuts.into_iter().map(move |end| {
        let part = word.get(start..end).unwrap_or_default();
        start = end;
        part.strip_prefix(b"_").unwrap_or(part)
    })
}

/// Queries stand in strings, which are no code.
fn of_text(line: &LineChange<'_>) -> Option<Area> {
    let has = |word: &[u8]| memchr::memmem::find(line.bytes, word).is_some();
    let verb =
        [&b"SELECT "[..], b"INSERT INTO ", b"DELETE FROM ", b"UPDATE ", b"DROP TABLE "].iter().any(|verb| has(verb));
    let built = line.bytes.contains(&b'+')
        || line.bytes.contains(&b'{')
        || line.bytes.contains(&b'%')
        || line.bytes.contains(&b'$');
    (line.bytes.iter().any(u8::is_ascii_uppercase) && verb && built).then_some(Area::Queries)
}

fn of_path(word: &str) -> Option<Area> {
    Some(match word {
        "auth" | "authentication" | "login" | "session" | "sessions" | "oauth" | "oidc" | "sso" | "saml" | "jwt"
        | "password" | "passwords" | "identity" | "mfa" | "otp" => Area::Authentication,
        "crypto" | "cryptography" | "cipher" | "encryption" | "tls" | "ssl" | "certs" | "keystore" | "signing" => {
            Area::Cryptography
        }
        "secret" | "secrets" | "credentials" | "vault" | "keyring" | "env" => Area::Secrets,
        "permission" | "permissions" | "acl" | "rbac" | "authorization" | "policy" | "policies" | "roles"
        | "guards" => Area::Permissions,
        _ => return None,
    })
}

fn of_word(word: &[u8]) -> Option<Area> {
    let mut buffer = [0_u8; 24];
    let lower = buffer.get_mut(..word.len())?;
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"authenticate" | b"authenticated" | b"authentication" | b"login" | b"logout" | b"password" | b"passwd"
        | b"oauth" | b"jwt" | b"bearer" | b"csrf" | b"otp" | b"mfa" | b"setcookie" | b"set_cookie" => {
            Area::Authentication
        }
        b"encrypt" | b"decrypt" | b"encrypted" | b"cipher" | b"hmac" | b"sha256" | b"sha1" | b"md5" | b"aes"
        | b"rsa" | b"ed25519" | b"nonce" | b"bcrypt" | b"argon2" | b"scrypt" | b"pbkdf2" | b"certificate"
        | b"createhash" | b"createcipheriv" | b"getrandom" => Area::Cryptography,
        b"secret" | b"secrets" | b"apikey" | b"api_key" | b"credential" | b"credentials" | b"keyring"
        | b"private_key" | b"access_key" | b"privatekey" | b"accesskey" => Area::Secrets,
        b"permission" | b"permissions" | b"authorize" | b"authorized" | b"chmod" | b"chown" | b"setuid" | b"sudo"
        | b"acl" | b"rbac" | b"is_admin" | b"isadmin" | b"is_superuser" | b"cors" => Area::Permissions,
        b"pickle" | b"unserialize" | b"marshal" | b"objectinputstream" | b"binaryformatter" | b"unsafe_load"
        | b"readobject" => Area::Deserialisation,
        b"subprocess" | b"popen" | b"execve" | b"execfile" | b"shellexecute" | b"processbuilder" | b"child_process"
        | b"shell_exec" | b"eval" | b"spawn" | b"execsync" => Area::Processes,
        b"innerhtml" | b"dangerouslysetinnerhtml" | b"executequery" | b"rawquery" | b"raw_sql" => Area::Queries,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_of_code() {
        for (code, expected) in [
            ("let hash = hashPassword(input);", &[Area::Authentication][..]),
            ("user.api_key = load_credentials()", &[Area::Secrets]),
            ("subprocess.run(cmd)", &[Area::Processes]),
            ("pickle.loads(data)", &[Area::Deserialisation]),
            ("el.innerHTML = text", &[Area::Queries]),
            ("let total = items.len();", &[]),
            ("passwords_page_title", &[]),
        ] {
            assert_eq!(of_code(code.as_bytes()).into_iter().collect::<Vec<_>>(), expected, "{code}");
        }
    }
}
