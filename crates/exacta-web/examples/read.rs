//! Reads one page and judges it: `read URL MEMORY HOST…`. What was learnt is kept in the file `MEMORY` between looks. For tests from outside and for
//! measuring a whole process.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program for tests, with files of theirs")]

use exacta_web::monitor::{Memory, Rules, judge};
use exacta_web::{Got, Hosts, get};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (url, kept) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let hosts = Hosts::new(arguments);
    let memory: Memory =
        std::fs::read(&kept).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let got = get(&url, &hosts, memory.validators());
    match &got {
        Ok(Got::Page(page)) => println!("page {} {} {}", page.status, page.bytes(), page.sha256),
        Ok(Got::NotModified) => println!("not modified"),
        Err(error) => println!("{} {error}", error.code()),
    }
    let mut seen = judge(&memory, &got, &Rules::default());
    while let Some(doubt) = seen.doubt.take() {
        std::thread::sleep(doubt.pause());
        let again = get(&url, &hosts, doubt.validators());
        seen = doubt.again(seen.judged, &again, &Rules::default());
    }
    println!("{}", serde_json::to_string(&seen.judged.verdict).unwrap_or_default());
    if let Ok(bytes) = serde_json::to_vec(&seen.memory) {
        // The next look would be the first again.
        let _kept = std::fs::write(&kept, bytes);
    }
}
