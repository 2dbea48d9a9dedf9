//! A model on loopback that does what its script says: in a conversation with n answers of tools, its n-th act is due.

use super::http::{self, Answer};
use super::script::Act;
use super::wire::Wire;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The scripted model; it ends with its value.
pub struct Model {
    address: SocketAddr,
    answers: Arc<Mutex<Vec<String>>>,
    over: Arc<AtomicBool>,
}

impl Model {
    /// Starts it on a port of its own.
    ///
    /// # Errors
    /// If there is no port on loopback.
    pub fn start(script: Vec<Act>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (answers, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (heard, ends, script) = (Arc::clone(&answers), Arc::clone(&over), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let (heard, script) = (Arc::clone(&heard), Arc::clone(&script));
                // A program that goes away in the middle of an answer has its reasons.
                thread::spawn(move || drop(serve(&stream, &script, &heard)));
            }
        });
        Ok(Self { address, answers, over })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What tools answered in the longest conversation.
    #[must_use]
    pub fn answers(&self) -> Vec<String> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the listener so that it sees the end.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(stream: &TcpStream, script: &[Act], heard: &Mutex<Vec<String>>) -> io::Result<()> {
    let request = http::read(stream)?;
    let body = serde_json::from_slice(&request.body).unwrap_or_default();
    let Some(wire) = Wire::of(&request.path) else {
        return http::write(
            stream,
            &Answer { kind: "application/json", body: r#"{"data":[],"models":[]}"#.to_owned() },
        );
    };
    let answers = wire.answers(&body);
    // Programs also ask for titles and summaries, without any tools.
    let act = if wire.has_tools(&body) { script.get(answers.len()) } else { None };
    {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() > heard.len() {
            *heard = answers.clone();
        }
    }
    http::write(stream, &wire.say(&request.path, &body, answers.len(), act))
}
