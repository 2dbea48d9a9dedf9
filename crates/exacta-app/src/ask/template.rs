//! Projects that are made by rule: what kinds there are, how a request is read without any model, and the files of each kind.

use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::IntentKind;
use std::collections::BTreeMap;

/// A kind of project.
#[derive(Debug)]
pub(super) struct Template {
    /// As it is asked for.
    pub kind: &'static str,
    /// Words that name it in a request; all of one group have to be there.
    words: &'static [&'static [&'static str]],
    files: &'static [File],
}

/// A file of a kind of project: its path, its text, and what it is for. Names are filled into all three.
#[derive(Debug)]
struct File(&'static str, &'static str, &'static str);

/// One file, filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Filled {
    pub path: String,
    pub text: String,
    pub description: String,
}

macro_rules! text {
    ($path:literal) => {
        include_str!(concat!("templates/", $path, ".txt"))
    };
}

/// Every kind. One that is named by more words comes before one that is named by fewer of them.
pub(super) const TEMPLATES: [Template; 8] = [
    Template {
        kind: "rust library",
        words: &[&["rust", "library"], &["rust", "lib"], &["rust", "crate"]],
        files: &[
            File(
                "Cargo.toml",
                text!("rust-library/Cargo.toml"),
                "The project file of `{{name}}`: package, library target and how it is built.",
            ),
            File(
                "src/lib.rs",
                text!("rust-library/lib.rs"),
                "The library's entry point, with one function and its tests.",
            ),
        ],
    },
    Template {
        kind: "rust binary",
        words: &[
            &["rust", "binary"],
            &["rust", "program"],
            &["rust", "cli"],
            &["rust", "project"],
            &["rust", "application"],
            &["rust", "app"],
        ],
        files: &[
            File(
                "Cargo.toml",
                text!("rust-binary/Cargo.toml"),
                "The project file of `{{name}}`: package, release profile and how it is built.",
            ),
            File(
                "src/main.rs",
                text!("rust-binary/main.rs"),
                "The program's entry point, with one function and its tests.",
            ),
        ],
    },
    Template {
        kind: "python package",
        words: &[&["python", "package"], &["python", "project"], &["python", "library"], &["python", "program"]],
        files: &[
            File(
                "pyproject.toml",
                text!("python-package/pyproject.toml"),
                "The project file of `{{name}}`: metadata, build system and the command it installs.",
            ),
            File("src/{{snake}}/__init__.py", text!("python-package/init.py"), "The package, with one function."),
            File("src/{{snake}}/__main__.py", text!("python-package/main.py"), "The entry point on the command line."),
            File("tests/test_{{snake}}.py", text!("python-package/test.py"), "Tests of the package's function."),
        ],
    },
    Template {
        kind: "typescript service",
        words: &[&["typescript", "service"], &["typescript", "server"], &["typescript", "project"]],
        files: &[
            File(
                "package.json",
                text!("typescript-service/package.json"),
                "The project file of `{{name}}`: scripts to build, start and test it, and what they need.",
            ),
            File(
                "tsconfig.json",
                text!("typescript-service/tsconfig.json"),
                "The settings of the compiler: strict, from `src` to `dist`.",
            ),
            File("src/service.ts", text!("typescript-service/service.ts"), "The service itself: one route over HTTP."),
            File("src/index.ts", text!("typescript-service/index.ts"), "The entry point: listens on loopback."),
            File("src/service.test.ts", text!("typescript-service/test.ts"), "Tests of the service, over HTTP too."),
        ],
    },
    Template {
        kind: "go service",
        words: &[&["go", "service"], &["golang", "service"], &["go", "server"], &["go", "project"]],
        files: &[
            File("go.mod", text!("go-service/go.mod"), "The module file of `{{name}}`, by which it is built."),
            File(
                "main.go",
                text!("go-service/main.go"),
                "The service and its entry point: one route over HTTP, on loopback.",
            ),
            File("main_test.go", text!("go-service/main_test.go"), "Tests of the service's route."),
        ],
    },
    Template {
        kind: "c# console",
        words: &[
            &["c#", "console"],
            &["csharp", "console"],
            &["c#", "program"],
            &["c#", "project"],
            &["dotnet", "console"],
        ],
        files: &[
            File(
                "{{pascal}}.csproj",
                text!("csharp/project.csproj"),
                "The project file of `{{name}}`: an executable for .NET 8.",
            ),
            File("Program.cs", text!("csharp/Program.cs"), "The program's entry point."),
        ],
    },
    Template {
        kind: "wpf",
        words: &[&["wpf"]],
        files: &[
            File(
                "{{pascal}}.csproj",
                text!("wpf/project.csproj"),
                "The project file of `{{name}}`: a WPF application for .NET 8.",
            ),
            File("App.xaml", text!("wpf/App.xaml"), "The application, which starts with its window."),
            File("App.xaml.cs", text!("wpf/App.xaml.cs"), "The code of the application, its entry point."),
            File("MainWindow.xaml", text!("wpf/MainWindow.xaml"), "The window: a field, a button and an answer."),
            File("MainWindow.xaml.cs", text!("wpf/MainWindow.xaml.cs"), "The code of the window: answers the button."),
        ],
    },
    Template {
        kind: "winui",
        words: &[&["winui"], &["winui3"]],
        files: &[
            File(
                "{{pascal}}.csproj",
                text!("winui/project.csproj"),
                "The project file of `{{name}}`: an unpackaged WinUI application for .NET 8.",
            ),
            File("App.xaml", text!("winui/App.xaml"), "The application and the resources of its controls."),
            File(
                "App.xaml.cs",
                text!("winui/App.xaml.cs"),
                "The code of the application, its entry point: opens the window.",
            ),
            File("MainWindow.xaml", text!("winui/MainWindow.xaml"), "The window: a field, a button and an answer."),
            File(
                "MainWindow.xaml.cs",
                text!("winui/MainWindow.xaml.cs"),
                "The code of the window: answers the button.",
            ),
        ],
    },
];

/// What they are called, the usual ones first.
pub(super) const KINDS: [&str; 8] =
    ["rust binary", "rust library", "python package", "typescript service", "go service", "c# console", "wpf", "winui"];

/// Words that may stand in a request for a new project besides its kind, name and folder. Any other word asks for more than a template has.
const AROUND: &[&str] = &[
    "a",
    "an",
    "the",
    "new",
    "empty",
    "please",
    "create",
    "make",
    "start",
    "scaffold",
    "generate",
    "set",
    "up",
    "me",
    "for",
    "called",
    "named",
    "with",
    "name",
    "in",
    "at",
    "folder",
    "directory",
    "under",
    "project",
    "application",
    "app",
    "minimal",
    "simple",
];
/// Words that a request for a build consists of.
const BUILDING: &[&str] = &[
    "a",
    "an",
    "the",
    "please",
    "build",
    "compile",
    "package",
    "make",
    "create",
    "it",
    "this",
    "project",
    "release",
    "debug",
    "in",
    "for",
    "mode",
    "version",
    "of",
    "binary",
    "configuration",
    "run",
    "do",
];

/// What a request says by its words alone, for the kinds that need no model; none where it may mean anything else.
pub(super) fn read(text: &str) -> Option<(IntentKind, BTreeMap<String, String>)> {
    let words: Vec<String> = text.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
    let all = |known: &[&str]| words.iter().all(|word| known.contains(&word.to_lowercase().as_str()));
    let has = |word: &str| words.iter().any(|other| other.eq_ignore_ascii_case(word));
    if all(BUILDING) && ["build", "compile", "package"].iter().any(|verb| has(verb)) {
        let said = ["debug", "release"].into_iter().filter(|name| has(name)).collect::<Vec<_>>();
        let found =
            if let [one] = said.as_slice() { Some(("configuration".to_owned(), (*one).to_owned())) } else { None };
        return Some((IntentKind::BuildPackage, found.into_iter().collect()));
    }
    let begins = ["create", "make", "start", "scaffold", "generate", "new"].iter().any(|verb| has(verb)) || has("set");
    let details = details(&words)?;
    begins.then_some((IntentKind::CreateProject, details))
}

/// Kind, name and folder of a new project, as far as they are said; none if anything else is.
fn details(words: &[String]) -> Option<BTreeMap<String, String>> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let fits = |group: &&&[&str]| group.iter().all(|word| lower.iter().any(|other| other == word));
    let (template, group) = TEMPLATES.iter().find_map(|it| it.words.iter().find(fits).map(|group| (it, *group)))?;
    let mut details = BTreeMap::from([("kind".to_owned(), template.kind.to_owned())]);
    let mut before = "";
    for (word, lower) in words.iter().zip(&lower) {
        match before {
            "called" | "named" | "name" => drop(details.insert("name".to_owned(), word.clone())),
            "in" | "at" | "under" | "folder" | "directory" if !AROUND.contains(&lower.as_str()) => {
                details.insert("path".to_owned(), word.trim_end_matches('/').to_owned());
            }
            _ if AROUND.contains(&lower.as_str()) || group.contains(&lower.as_str()) => {}
            _ => return None,
        }
        before = lower;
    }
    Some(details)
}

/// A word without what surrounds it.
fn plain(word: &str) -> String {
    let around = |c: char| matches!(c, '`' | '"' | '\'' | ',' | ';' | '!' | '“' | '”' | '(' | ')');
    let word = word.trim_matches(around);
    if word == "." { word.to_owned() } else { word.trim_end_matches(['.', ':']).to_owned() }
}

/// The template of a kind, however it is written.
pub(super) fn of_kind(kind: &str) -> Option<&'static Template> {
    let words: Vec<String> =
        kind.split(|c: char| c.is_whitespace() || c == '-' || c == '_').map(str::to_lowercase).collect();
    let fits = |group: &&[&str]| group.iter().all(|word| words.iter().any(|other| other == word));
    TEMPLATES.iter().find(|it| it.kind.eq_ignore_ascii_case(kind) || it.words.iter().any(fits))
}

/// Whether a project can be called so, in every language.
pub(super) fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    let ends = name.ends_with(|c: char| c.is_ascii_alphanumeric());
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    begins && ends && name.len() <= 48 && name.chars().all(fits) && !KEYWORDS.contains(&name)
}

/// Names that are words of a language or of its standard library.
const KEYWORDS: &[&str] =
    &["test", "std", "core", "main", "self", "crate", "class", "import", "package", "con", "nul", "aux", "prn"];

/// The folder as a path beneath the project; empty for the project itself.
pub(super) fn folder(path: &str) -> Option<String> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    match path {
        "" | "." => Some(String::new()),
        path => RelPath::parse(path).is_ok().then(|| format!("{path}/")),
    }
}

impl Template {
    /// Its files with these names, beneath this folder.
    pub fn filled(&self, name: &str, folder: &str) -> Vec<Filled> {
        let snake = name.replace('-', "_");
        let word = |part: &str| {
            part.chars().take(1).flat_map(char::to_uppercase).chain(part.chars().skip(1)).collect::<String>()
        };
        let pascal: String = name.split(['-', '_']).map(word).collect();
        let fill =
            |text: &str| text.replace("{{name}}", name).replace("{{snake}}", &snake).replace("{{pascal}}", &pascal);
        let file = |File(path, text, description): &File| Filled {
            path: format!("{folder}{}", fill(path)),
            text: fill(text),
            description: fill(description),
        };
        self.files.iter().map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_by_rule_or_not_at_all() {
        let cases = [
            ("create a rust binary called demo in tools/demo", Some("rust binary|demo|tools/demo")),
            ("Create a new Rust library named `my-lib` in .", Some("rust library|my-lib|.")),
            ("make a python package called logs", Some("python package|logs|")),
            ("scaffold a TypeScript service in services/api", Some("typescript service||services/api")),
            ("please set up a go service called ping.", Some("go service|ping|")),
            ("create a C# console app called hello", Some("c# console|hello|")),
            ("create a wpf application", Some("wpf||")),
            ("new winui project called notes in desktop/", Some("winui|notes|desktop")),
            ("create a rust binary called demo that parses logs", None),
            ("create a python package and add a parser", None),
            ("create a haskell program", None),
            ("fix the crash in main", None),
            ("delete a rust binary", None),
        ];
        for (text, expected) in cases {
            let told = read(text).filter(|(kind, _)| *kind == IntentKind::CreateProject).map(|(_, details)| {
                let of = |field: &str| details.get(field).cloned().unwrap_or_default();
                format!("{}|{}|{}", of("kind"), of("name"), of("path"))
            });
            assert_eq!(told.as_deref(), expected, "{text}");
        }
        for (text, expected) in [
            ("build the release package", Some("release")),
            ("make a debug build", Some("debug")),
            ("package it", Some("")),
            ("build a parser", None),
            ("build and deploy it", None),
        ] {
            let told = read(text).filter(|(kind, _)| *kind == IntentKind::BuildPackage);
            let told = told.map(|(_, details)| details.get("configuration").cloned().unwrap_or_default());
            assert_eq!(told.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn names_and_folders_stay_where_they_belong() {
        for name in ["demo", "my-lib", "a1_b"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "Demo", "1a", "a b", "a/b", "../a", "a-", "test", "a\"b"] {
            assert!(!is_name(name), "{name}");
        }
        assert_eq!(folder("."), Some(String::new()));
        assert_eq!(folder("./a/b/"), Some("a/b/".to_owned()));
        assert!(folder("../a").is_none() && folder("/a").is_none() && folder("a/../b").is_none());
    }

    #[test]
    fn every_hole_is_filled() {
        for template in &TEMPLATES {
            assert!(KINDS.contains(&template.kind));
            assert_eq!(of_kind(template.kind).map(|it| it.kind), Some(template.kind));
            for file in template.filled("my-demo", "x/") {
                let all = format!("{}{}{}", file.path, file.text, file.description);
                assert!(
                    !all.contains("{{name}}") && !all.contains("{{snake}}") && !all.contains("{{pascal}}"),
                    "{}",
                    file.path
                );
                assert!(file.path.starts_with("x/") && file.text.ends_with('\n'), "{}", file.path);
            }
        }
    }
}
