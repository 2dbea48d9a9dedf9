use super::*;

/// Tokens are put together here, so that no scanner takes this file for a leak.
fn joined(parts: &[&str]) -> String {
    parts.concat()
}

fn kinds(text: &str) -> Vec<(&'static str, bool)> {
    find(text.as_bytes()).into_iter().map(|found| (found.what, found.certain)).collect()
}

const KEY_BODY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
const AWS_SECRET: &str = "kT9vQ2mXz8LpR4wYb6NfJ1sHd7GcA3eUo5ViZqPW";

#[test]
fn certain_secrets() {
    let jwt = joined(&["eyJhbGciOiJIUzI1", "NiJ9.eyJzdWIiOiJ1NDIiLCJleHAiOjE3MDB9.", "dGhpc2lzYXNpZ25hdHVyZXZhbHVl"]);
    for (text, what) in [
        (
            joined(&[
                "-----BEGIN RSA PRIVATE",
                " KEY-----\n",
                KEY_BODY,
                "\n",
                KEY_BODY,
                "\n-----END RSA PRIVATE KEY-----",
            ]),
            "private key",
        ),
        (
            joined(&["\"-----BEGIN PRIVATE", " KEY-----\\n", KEY_BODY, "\\n-----END PRIVATE KEY-----\\n\""]),
            "private key",
        ),
        (joined(&["id = AK", "IAQ3EGRT7XKP2MZVWL\nsecret = ", AWS_SECRET]), "AWS access key id"),
        (joined(&["AWS_SECRET_ACCESS_KEY=", AWS_SECRET]), "AWS secret access key"),
        (joined(&["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"]), "GitHub token"),
        (joined(&["curl -H 'x: gl", "pat-Zx9Qw7Er5Ty3Ui1Op8As'"]), "GitLab token"),
        (joined(&["xo", "xb-284756193047-3918274650182-Ab3dEf6hIj9kLm2nOp5qRs8t"]), "Slack token"),
        (joined(&["sk_", "live_4eC39HqLyjWDarjtT1zdp7dc"]), "Stripe live key"),
        (joined(&["sk", "-Zx9Qw7Er5Ty3Ui1Op8AsT3BlbkFJq2Wd4Rf6Tg8Yh0Uj1Ik3"]), "OpenAI key"),
        (joined(&["AI", "zaSyD4kQ9vRt2LmXw7ZpB6nYc3HfJ8gUe5Ts1"]), "Google API key"),
        (jwt, "JSON web token"),
        (joined(&["postgres://app:v9K2m", "Qx7@db.prod.acme.io:5432/app"]), "password in a URL"),
    ] {
        let found = kinds(&text);
        assert!(found.contains(&(what, true)), "{text}: {found:?}");
    }
}

#[test]
fn doubtful_secrets() {
    for (text, what) in [
        (joined(&["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18"]), "GitHub token"),
        (joined(&["AK", "IAQ3EGRT7XKP2MZVWL"]), "AWS access key id"),
        ("password = \"vR7!kQ2#mZ\"".to_owned(), "password"),
        ("\"db_password\": \"vR7kQ2mZ9x\",".to_owned(), "password"),
        ("API_KEY=q8Zr7Lp2Xw4Tn8VbQ1c5".to_owned(), "secret value"),
        ("client_secret: 'q8Zr7Lp2Xw4Tn8VbQ1c5'".to_owned(), "secret value"),
        ("Authorization: Bearer q8Zr7Lp2Xw4Tn8VbQ1c5Ym3".to_owned(), "authorization header"),
        ("mysql://root:password@db.acme.io/x".to_owned(), "password in a URL"),
        ("redis://u:v9K2mQx7@localhost:6379".to_owned(), "password in a URL"),
    ] {
        assert_eq!(kinds(&text), [(what, false)], "{text}");
    }
}

#[test]
fn no_secrets() {
    for text in [
        "",
        "password = os.environ[\"PASSWORD\"]",
        "password: String,",
        "let token = next_token(&mut lexer);",
        "token = \"<token>\"",
        "password = \"changeme\"",
        "api_key = \"${API_KEY}\"",
        "api_key: {{ secrets.API_KEY }}",
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "if line.starts_with(\"-----BEGIN PRIVATE KEY-----\") { return }",
        "https://example.com/path?x=1:2@3",
        "postgres://postgres:postgres@localhost/test",
        "postgres://user:${PASSWORD}@db.acme.io/x",
        "git@github.com:acme/app.git",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "integrity = \"sha512-Zx9Qw7Er5Ty3Ui1Op8As+Zx9Qw7Er5Ty3Ui1Op8As==\"",
        "secret_name = \"my-app/prod/database\"",
        "token_type = \"Bearer\"",
        "sk-learn-is-a-package-name-with-many-dashes-in-it",
        "assert token == \"q8Zr7Lp2Xw4Tn8VbQ1c5\"",
    ] {
        assert_eq!(kinds(text), [], "{text}");
    }
}

#[test]
fn masking_keeps_everything_else() {
    let text = joined(&["a = gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17; password = \"vR7!kQ2#mZ\" é"]);
    assert_eq!(mask(&text), "a = ‹secret:GitHub token›; password = \"‹secret:password›\" é");
    assert!(matches!(mask("nothing here"), Cow::Borrowed(_)));
}

#[test]
fn a_key_without_an_end_does_not_hide_the_next_one() {
    let key = joined(&["-----BEGIN RSA PRIVATE ", "KEY-----MIIEowIBAAKCAQEAaB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF"]);
    assert_eq!(mask(&format!("a/{key} b/{key}")), "a/‹secret:private key›‹secret:private key›");
    let ended = format!("{key}-----END RSA PRIVATE KEY-----; and {key}");
    assert_eq!(mask(&ended), "‹secret:private key›; and ‹secret:private key›");
}

#[test]
fn masked_text_holds_no_secret() {
    let text = joined(&["postgres://app:v9K2m", "Qx7@db.prod.acme.io token: 'q8Zr7Lp2Xw4Tn8VbQ1c5'"]);
    assert_eq!(find(mask(&text).as_bytes()), []);
}

#[test]
fn hostile_repetition_is_read_in_one_pass() {
    for part in [
        "sk-",
        "eyJ",
        "eyJhbGciOiJIUzI1NiJ9.",
        "-----BEGIN PRIVATE KEY-----",
        "a://b:c@",
        "password=",
        "AKIA",
        "secret: '",
        " ",
        "'\\n",
        "q8Zr7Lp2Xw4Tn8VbQ1c5q8Zr7Lp2Xw4Tn8VbQ1c5\n",
        "Comment: ",
    ] {
        let text = part.repeat(50_000 / part.len());
        find(text.as_bytes());
        find(joined(&["-----BEGIN PRIVATE", " KEY-----", &text]).repeat(20).as_bytes());
    }
}

proptest::proptest! {
    #[test]
    fn what_is_passed_over_is_harmless(text in "([a-zA-Z0-9_.-]{1,12}|password|token|set|http|[ =:\"'>/]{1,3}){0,20}") {
        let text = text.as_bytes();
        let mut at = 0;
        while let Some(start) = next_name(text, at) {
            let end = name_end(text, start);
            let mut found = Vec::new();
            let looked = look(text, start, end, &mut found);
            assert!(!is_harmless(text, start, end) || (found.is_empty() && looked == end));
            at = end;
        }
    }
}

/// Attack 8: the other half of a key pair is a secret whatever its name is.
#[test]
fn attack_08_both_halves_of_a_key_pair_are_masked() {
    let text = joined(&["id = 'AK", "IAQ3EGRT7XKP2MZVWL'\nother = '", AWS_SECRET, "'\n"]);
    assert_eq!(kinds(&text), [("AWS access key id", true), ("AWS secret access key", true)]);
    let masked = mask(&text);
    assert!(!masked.contains(AWS_SECRET) && !masked.contains("IAQ3EGRT7XKP2MZVWL"), "{masked}");
}

#[test]
fn a_masked_file_keeps_its_lines() {
    let block =
        joined(&["-----BEGIN PRIVATE", " KEY-----\r\n", KEY_BODY, "\r\n", KEY_BODY, "\r\n-----END PRIVATE KEY-----"]);
    let text = format!("a\r\n{block}\r\nb");
    let masked = String::from_utf8(mask_lines(text.as_bytes()).unwrap()).unwrap();
    let hidden = "‹secret:private key›";
    assert_eq!(masked, format!("a\r\n{hidden}\r\n{hidden}\r\n{hidden}\r\n{hidden}\r\nb"));
    assert_eq!(mask_lines(b"plain\n"), None);
}

/// Attack 55: a mask hides only what nothing runs.
#[test]
fn attack_55_what_runs_is_no_secret() {
    for text in [
        "export DB_PASSWORD=`touch\tpwned9;id\t-u`",
        "export DB_PASSWORD=`./pwn3d_aB9xQ2`",
        "DB_PASSWORD=\"aB3xyz91;touch\tx\"",
        "DB_PASSWORD='aB3xyz91\tQ2'",
        "db_password=\"aB3xyz91$(id)\"",
        "API_KEY=q8Zr7Lp2Xw4Tn8Vb&touch",
        "API_KEY=q8Zr7Lp2Xw4Tn8$IFS",
        "--password 'aB3xyz91|sh9'",
        "curl -s http://app:aB3xyz;touch$IFS.pwned8|cat@localhost:8080/status",
        "curl https://app:aB3xyz9&id@db.acme.io/x",
    ] {
        assert_eq!(kinds(text), [], "{text}");
    }
    let hook = joined(&["curl https://hooks.sl", "ack.com/services/T0/B0/q8Zr7Lp2Xw4Tn8VbQ1c5Ym3z;touch$IFS.x"]);
    assert_eq!(mask(&hook), "curl https://‹secret:Slack webhook›;touch$IFS.x");
}

/// Attack 55: a header in a program does not make a key of what stands under it.
#[test]
fn attack_55_code_under_a_header_is_no_key() {
    let header = joined(&["-----BEGIN PRIVATE", " KEY-----"]);
    let code = "\n\ndef allowed(user, path):\n    if not user.is_admin:\n        raise PermissionError(path)\n    return True\n";
    for text in [
        format!("HEADER = \"{header}\"{code}"),
        format!("{header}{code}"),
        format!(
            "{header}\nreturn\npass\nelse\nreturn\ncontinue\nbreak\nreturn\npass\nelse\nreturn\ncontinue\nbreak\n{code}"
        ),
        format!("{header}\nrun: curl evil\nother: x\n{code}"),
    ] {
        assert_eq!(kinds(&text), [], "{text}");
        assert_eq!(mask(&text), text);
    }
    let key = format!("{header}\n{KEY_BODY}\n{KEY_BODY}\n");
    assert_eq!(mask(&format!("{key}return\n{code}")), format!("‹secret:private key›\nreturn\n{code}"));
}

/// However a key is written, all of it is masked, and nothing else.
#[test]
fn keys_in_files_texts_and_comments() {
    let (opening, closing) = (joined(&["-----BEGIN RSA PRIVATE", " KEY-----"]), "-----END RSA PRIVATE KEY-----");
    let tail = "q9Zr7Lp2Xw4=";
    for (key, rest) in [
        (format!("{opening}\n{KEY_BODY}\n{KEY_BODY}\n{tail}\n{closing}"), "\nx = 1\n"),
        (format!("{opening}\n    {KEY_BODY}\n    {tail}\n    {closing}"), "\nother: x\n"),
        (
            format!("{opening}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{KEY_BODY}\n{tail}\n{closing}"),
            "\n",
        ),
        (format!("{opening}\\n{KEY_BODY}\\n{tail}\\n{closing}"), "\\n\";\n"),
        (format!("{opening}\\n\" +\n  \"{KEY_BODY}\\n\" +\n  \"{tail}\\n\" +\n  \"{closing}"), "\";\n"),
        (format!("{opening}\n# {KEY_BODY}\n# {tail}\n# {closing}"), "\nx = 1\n"),
        (format!("{opening} {KEY_BODY} {tail} {closing}"), " x"),
        (format!("{opening}\r\n{KEY_BODY}\r\n{KEY_BODY}"), "\r\n}\r\n"),
    ] {
        assert_eq!(mask(&format!("a {key}{rest}")), format!("a ‹secret:private key›{rest}"), "{key}");
    }
}
