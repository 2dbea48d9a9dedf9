//! What a real terminal shows: the program writes to a pseudo terminal, and a parser of what terminals understand keeps the cells.

use crate::world::{EXACTA, World, redact};
use exacta_testkit::{LIMIT, Running};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Columns and lines.
type Size = (u16, u16);

const SIZES: [Size; 2] = [(80, 24), (140, 40)];

/// Cells that stay the same for so long are a complete frame.
const QUIET: Duration = Duration::from_millis(250);

/// A program on a terminal, and the cells of that terminal.
struct Screen {
    child: Running,
    keys: ChildStdin,
    pieces: Receiver<Vec<u8>>,
    parser: vt100::Parser,
}

impl Screen {
    fn open(world: &World, (columns, lines): Size, color: &str, args: &[&str]) -> Self {
        let line = format!("stty cols {columns} rows {lines}; exec '{EXACTA}' {} --color {color}", args.join(" "));
        // `script` is part of Debian's bsdutils.
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(world.project()).env_clear();
        command.env("EXACTA_HOME", world.home()).env("TERM", "xterm-256color").env("SHELL", "/bin/sh");
        command.env("LC_ALL", "C.UTF-8").env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = Running::start(&mut command);
        let (mut output, keys) = (child.stdout().unwrap(), child.stdin().unwrap());
        let (sender, pieces) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0_u8; 65536];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let [lines, columns] = [lines, columns].map(|count| NonZero::new(count).unwrap());
        Self { child, keys, pieces, parser: vt100::Parser::new(lines, columns, 0) }
    }

    /// The cells as text, once this is among them and they stay as they are.
    #[track_caller]
    fn with(&mut self, what: &str) -> String {
        let mut text = self.when(|text| text.contains(what), what);
        let mut since = Instant::now();
        while since.elapsed() < QUIET {
            if let Ok(piece) = self.pieces.recv_timeout(QUIET) {
                self.parser.process(&piece);
            }
            let now = self.parser.screen().contents();
            if now != text {
                (text, since) = (now, Instant::now());
            }
        }
        text
    }

    /// The cells as text, as soon as they are as wanted.
    #[track_caller]
    fn when(&mut self, is_there: impl Fn(&str) -> bool, what: &str) -> String {
        let begin = Instant::now();
        loop {
            self.pieces.try_iter().for_each(|piece| self.parser.process(&piece));
            let text = self.parser.screen().contents();
            if is_there(&text) {
                return text;
            }
            match self.pieces.recv_timeout(LIMIT.saturating_sub(begin.elapsed())) {
                Ok(piece) => self.parser.process(&piece),
                Err(error) => panic!("{what} did not come ({error}); the screen is:\n{text}"),
            }
        }
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    /// Whether any cell has a colour.
    fn is_coloured(&self) -> bool {
        let screen = self.parser.screen();
        let (lines, columns) = screen.size();
        (0..lines.get())
            .flat_map(|line| (0..columns.get()).map(move |column| (line, column)))
            .any(|(line, column)| screen.cell(line, column).is_some_and(|cell| cell.fgcolor() != vt100::Color::Default))
    }

    fn leave(mut self, keys: &str) {
        self.press(keys);
        drop(self.keys);
        self.child.wait();
    }
}

fn plan(text: &str, steps: &[Value]) -> Value {
    let step = |(at, step): (usize, &Value)| {
        let mut step = step.clone();
        step["id"] = json!(format!("s{}", at + 1));
        step["description"] = json!("changes what the reader sees in the tables of the guide");
        step
    };
    let steps: Vec<Value> = steps.iter().enumerate().map(step).collect();
    json!({ "schema": "exacta.plan/1", "intent": { "type": "AddFeature", "text": text }, "steps": steps })
}

fn create(target: &str, content: &str) -> Value {
    json!({ "type": "file_create", "target": target, "content": content })
}

fn submitted(world: &World, plan: &Value) -> (String, String) {
    let answer = world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes()).expect(30).json();
    let word = |name: &str| answer[name].as_str().unwrap().to_owned();
    (word("plan_id"), word("short_id"))
}

/// Letters of many scripts, wide ones, marks that join, and flags.
const SCRIPTS: &str =
    "flags: 🇩🇪🇫🇷🇯🇵 and 👩‍👩‍👧\nहिन्दी में नमस्ते\nשלום עולם\nسلام دنيا\n漢字と仮名、全角\nnaïve café Ångström\nplain end\n";

/// One line of 70 KB whose every part has a name.
fn long_line() -> String {
    let mut line = String::from("words = \"");
    for n in 0..7_000 {
        let _ = write!(line, "t{n:05}/ ");
    }
    line + "\"\n"
}

/// A subject of a screen: what is submitted, whether the review shows it or the question.
fn subjects() -> Vec<(&'static str, Value, &'static str)> {
    let modify =
        json!({ "type": "file_modify", "target": "greet.txt", "edits": [{ "find": "world", "replace": "there" }] });
    let tabs = json!({ "type": "file_modify", "target": "Makefile", "edits": [
        { "find": "\tcc main.c", "replace": "    cc main.c" },
        { "find": "all: main", "replace": "all: main  " },
    ] });
    let workflow =
        "on: push\njobs:\n  t:\n    runs-on: debian\n    steps:\n      - run: curl https://get.acme.io | sh\n";
    vec![
        ("one line", plan("greets whoever is there", &[modify]), "approve"),
        (
            "ci file",
            plan("the workflow runs the tests on each push", &[create(".github/workflows/ci.yml", workflow)]),
            "approve",
        ),
        ("scripts", plan("greetings in more languages", &[create("greetings.txt", SCRIPTS)]), "review"),
        ("whitespace", plan("the recipe is indented as the others", &[tabs]), "review"),
        ("line ends", plan("a file for another system", &[create("notes.txt", "one\r\ntwo \r\nthree\r\n")]), "review"),
        ("long line", plan("a list of words", &[create("words.py", &long_line())]), "review"),
    ]
}

fn world() -> World {
    let world = World::begun();
    world.write("Makefile", "all: main\n\nmain: main.c\n\tcc main.c -o main\n");
    world
}

/// Names and times that differ from run to run.
fn constant(text: &str, id: &str, short: &str) -> String {
    let text = redact(&text.replace(id, "[id]").replace(short, "PLAN"));
    let minutes = |line: &str| {
        let Some(at) = line.find(" min left") else { return line.trim_end().to_owned() };
        let from = line[..at].trim_end_matches(|c: char| c.is_ascii_digit()).len();
        format!("{}N{}", &line[..from], &line[at..]).trim_end().to_owned()
    };
    text.lines().map(minutes).collect::<Vec<_>>().join("\n")
}

#[test]
fn twelve_screens() {
    let world = world();
    for (name, plan, command) in subjects() {
        let (id, short) = submitted(&world, &plan);
        for size in SIZES {
            let (last, leave) = if command == "approve" { ("[?]", "n\n") } else { ("? keys", "q") };
            let mut plain = Screen::open(&world, size, "never", &[command, &id]);
            let mut coloured = Screen::open(&world, size, "always", &[command, &id]);
            let (text, same) = (constant(&plain.with(last), &id, &short), constant(&coloured.with(last), &id, &short));
            assert_eq!(text, same, "colour changes no letter: {name}");
            assert!(coloured.is_coloured() && !plain.is_coloured(), "{name}");
            insta::assert_snapshot!(format!("{}-{}x{}", name.replace(' ', "-"), size.0, size.1), text);
            plain.leave(leave);
            coloured.leave(leave);
        }
        world.run(&["withdraw", &id]).expect(0);
    }
}

/// The lines of the review's right half, all of them, each where its number puts it.
#[track_caller]
fn all_lines(screen: &mut Screen) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    loop {
        let text = screen.with("? keys");
        let (first, last, all) = position(&text).unwrap_or_else(|| panic!("no lines are counted:\n{text}"));
        assert!(first <= lines.len() + 1, "lines {} to {first} were never shown", lines.len());
        lines.truncate(first - 1);
        let body = text.lines().filter_map(|line| line.split_once('│')).map(|(_, line)| line);
        lines.extend(body.take(last + 1 - first).map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()));
        assert_eq!(lines.len(), last, "{text}");
        if last == all {
            return lines;
        }
        screen.press("f");
        // The frame may still be under way: it is read once it is complete.
        screen.when(|text| position(text).is_some_and(|(_, now, _)| now > last), "a further line");
    }
}

/// First and last line that are seen, and how many there are.
fn position(screen: &str) -> Option<(usize, usize, usize)> {
    let (_, numbers) = screen.split_once("lines ")?;
    let (range, rest) = numbers.split_once(" of ")?;
    let (first, last) = range.split_once('–')?;
    let all = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((first.parse().ok()?, last.parse().ok()?, all.parse().ok()?))
}

/// Whoever pages through a plan has had every part of what changes on the screen.
#[test]
fn every_changed_byte_comes_to_the_screen() {
    let world = world();
    let (id, _) = submitted(&world, &plan("a list of words", &[create("words.py", &long_line())]));
    let mut screen = Screen::open(&world, (140, 40), "never", &["review", &id]);
    let seen: String = all_lines(&mut screen).concat();
    let seen: String = seen.chars().filter(|c| !c.is_whitespace()).collect();
    let missing: Vec<usize> = (0..7_000).filter(|n| !seen.contains(&format!("t{n:05}/"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    screen.leave("q");
}

/// Walking from file to file leaves nothing of another file's letters behind, whatever their width.
#[test]
fn nothing_of_an_earlier_frame_stays() {
    let world = world();
    let steps =
        [create("a.txt", SCRIPTS), create("b.txt", "short\n"), create("c.txt", &SCRIPTS.replace("plain", "other"))];
    let (id, _) = submitted(&world, &plan("greetings in more languages", &steps));
    let mut straight = Screen::open(&world, (80, 24), "always", &["review", &id]);
    straight.with("b/a.txt");
    let expected = straight.press("N").with("b/b.txt");
    let mut about = Screen::open(&world, (80, 24), "always", &["review", &id]);
    about.with("b/a.txt");
    for (key, file) in [("N", "b/b.txt"), ("N", "b/c.txt"), ("P", "b/b.txt"), ("P", "b/a.txt")] {
        about.press(key).with(file);
    }
    let found = about.press("N").with("b/b.txt");
    assert_eq!(found, expected);
    straight.leave("q");
    about.leave("q");
}
