//! A server on this machine that loses requests and answers, doubles, delays and lies, by a schedule. What it is asked to look at
//! it may refuse to say, but it does not lie about it: nobody could tell anything then.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What happens to a request that acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// It never arrives.
    LoseRequest,
    /// It is done, and nobody hears of it.
    LoseAnswer,
    /// It is done, and only the beginning of the answer comes.
    CutAnswer,
    /// It is done twice.
    Double,
    /// Nobody hears of it, and it is done later.
    Delay,
    /// It is not done, and said to be.
    LieDone,
    /// It is done, and said not to be.
    LieNotDone,
    /// A person changes the page just before.
    Edit,
}

impl Fault {
    pub(super) const ALL: [Self; 9] = [
        Self::None,
        Self::LoseRequest,
        Self::LoseAnswer,
        Self::CutAnswer,
        Self::Double,
        Self::Delay,
        Self::LieDone,
        Self::LieNotDone,
        Self::Edit,
    ];
}

/// What goes wrong, in the order of requests; nothing when it is used up.
#[derive(Debug, Clone, Default)]
pub(super) struct Schedule {
    pub(super) acts: VecDeque<Fault>,
    /// Whether a look, or the question what became of a key, is refused.
    pub(super) looks: VecDeque<bool>,
}

/// One copy of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) key: String,
    pub(super) text: String,
}

#[derive(Debug, Default)]
pub(super) struct Site {
    pub(super) pages: BTreeMap<String, Vec<Page>>,
    pub(super) edited: BTreeSet<String>,
    /// How often an act of each key was asked for.
    pub(super) asked: BTreeMap<String, usize>,
    /// The faults that came to pass, and how many looks were refused.
    pub(super) met: Vec<Fault>,
    pub(super) refused_looks: usize,
    /// Keys whose acts are refused from now on.
    fenced: BTreeSet<String>,
    done: BTreeSet<String>,
    schedule: Schedule,
    late: usize,
}

pub(super) struct Server {
    pub(super) at: SocketAddr,
    pub(super) site: Arc<Mutex<Site>>,
}

struct Request {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Server {
    pub(super) fn start(schedule: Schedule) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let site = Arc::new(Mutex::new(Site { schedule, ..Site::default() }));
        let shared = Arc::clone(&site);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { break };
                serve(stream, &shared);
            }
        });
        Self { at, site }
    }

    /// Waits until nothing is under way any more.
    pub(super) fn rest(&self) {
        while self.site.lock().unwrap().late > 0 {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

fn serve(mut stream: TcpStream, site: &Arc<Mutex<Site>>) {
    let Some(request) = read(&stream) else { return };
    let answer = match request.method.as_str() {
        "GET" | "FENCE" => site.lock().unwrap().look(&request),
        _ => act(&request, site),
    };
    if let Some(answer) = answer {
        let _gone = stream.write_all(answer.as_bytes());
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    lines.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    Some(Request { method, path, headers, body: String::from_utf8(body).ok()? })
}

fn act(request: &Request, shared: &Arc<Mutex<Site>>) -> Option<String> {
    let key = request.headers.get("idempotency-key").cloned().unwrap_or_default();
    let mut site = shared.lock().unwrap();
    *site.asked.entry(key.clone()).or_default() += 1;
    let fault = site.schedule.acts.pop_front().unwrap_or(Fault::None);
    site.met.push(fault);
    match fault {
        Fault::LoseRequest => None,
        Fault::LieDone => Some(answer(200, "done")),
        Fault::LoseAnswer => {
            site.carry_out(&key, request);
            None
        }
        Fault::CutAnswer => {
            site.carry_out(&key, request);
            Some("HTTP/1.1 2".to_owned())
        }
        Fault::LieNotDone => {
            site.carry_out(&key, request);
            Some(answer(500, "not done"))
        }
        Fault::Double => {
            site.carry_out(&key, request);
            site.copy(request);
            Some(answer(200, "done"))
        }
        Fault::Edit => {
            site.edit();
            let done = site.carry_out(&key, request);
            Some(if done { answer(200, "done") } else { answer(409, "changed") })
        }
        Fault::Delay => {
            site.late += 1;
            let (shared, request) = (Arc::clone(shared), request.clone());
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(15));
                let mut site = shared.lock().unwrap();
                site.carry_out(&key, &request);
                site.late -= 1;
            });
            None
        }
        Fault::None => {
            let done = site.carry_out(&key, request);
            Some(if done { answer(200, "done") } else { answer(409, "refused") })
        }
    }
}

impl Site {
    fn look(&mut self, request: &Request) -> Option<String> {
        if self.schedule.looks.pop_front().unwrap_or(false) {
            self.refused_looks += 1;
            return Some(answer(503, "later"));
        }
        if request.method == "FENCE" {
            let key = request.path.trim_start_matches('/').to_owned();
            let done = self.done.contains(&key);
            self.fenced.insert(key);
            return Some(answer(200, if done { "done" } else { "never" }));
        }
        let pages = self.pages.get(&request.path).cloned().unwrap_or_default();
        let lines: Vec<String> = pages.iter().map(|page| format!("{} {}", page.key, page.text)).collect();
        Some(answer(200, &lines.join("\n")))
    }

    /// Does what is asked, once for each key; whether it was done.
    fn carry_out(&mut self, key: &str, request: &Request) -> bool {
        if self.fenced.contains(key) || self.done.contains(key) {
            return false;
        }
        let pages = self.pages.entry(request.path.clone()).or_default();
        if request.method == "POST" {
            pages.push(Page { key: key.to_owned(), text: request.body.clone() });
        } else {
            // Only what is still as the caller saw it.
            let same = |page: &Page| request.headers.get("if-match").is_some_and(|text| *text == page.text);
            if !pages.iter().all(same) {
                return false;
            }
            pages.clear();
        }
        self.done.insert(key.to_owned());
        true
    }

    fn copy(&mut self, request: &Request) {
        let pages = self.pages.entry(request.path.clone()).or_default();
        pages.extend(pages.last().cloned());
    }

    /// A person changes the first page there is.
    fn edit(&mut self) {
        if let Some((path, page)) = self.pages.iter_mut().find_map(|(path, pages)| Some((path, pages.first_mut()?))) {
            page.text = "a person's words".to_owned();
            self.edited.insert(path.clone());
        }
    }
}

impl Clone for Request {
    fn clone(&self) -> Self {
        let Self { method, path, headers, body } = self;
        Self { method: method.clone(), path: path.clone(), headers: headers.clone(), body: body.clone() }
    }
}

fn answer(code: u16, body: &str) -> String {
    format!("HTTP/1.1 {code} Said\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}
