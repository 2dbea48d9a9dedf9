//! `exacta mcp`: agents submit plans through the Model Context Protocol, and learn what became of them.

use crate::interrupt::Orderly;
use exacta_app::{AgentName, App, Caller, Error, Execution, Exit, Options};
use exacta_host::{Desk, Place, Stop};
use exacta_kernel::id::PlanId;
use std::cell::RefCell;
use std::io::{BufReader, stdin, stdout};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A pipe that an agent's program holds.
#[derive(Debug, Clone)]
struct Pipe {
    base: Options,
    agent: AgentName,
    /// How the agent is known before anything was granted to it.
    caller: Caller,
}

impl Place for Pipe {
    fn options(&self) -> Options {
        let caller = exacta_app::connected(&self.base, &self.agent).unwrap_or_else(|_| self.caller.clone());
        Options { caller, ..self.base.clone() }
    }

    fn open(&self) -> Result<App, Error> {
        App::resume(&self.options())
    }

    fn stop(&self) -> Result<Box<dyn Stop>, Error> {
        Ok(Box::new(signals()?))
    }

    fn run(&self, mut app: App, plan: &PlanId, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let signals = signals()?;
        let tell = RefCell::new(tell);
        let execution = Execution {
            sync: true,
            wait: Duration::ZERO,
            cancel: signals.flag(),
            observer: &mut |event| (tell.borrow_mut())(&exacta_host::step(&event)),
            check_observer: &mut |event| exacta_host::check(&event, &mut **tell.borrow_mut()),
        };
        match app.execute(plan, execution) {
            Err(error) if error.run_id.is_none() => Err(error),
            _ => Ok(()),
        }
    }
}

impl Stop for Orderly {
    fn flag(&self) -> &AtomicBool {
        Self::flag(self)
    }
}

fn signals() -> Result<Orderly, Error> {
    Orderly::begin().map_err(|error| crate::fail::io(Exit::Fault, "watch for signals", &error))
}

/// Serves the agent of this name that started this process, until it closes its standard input.
///
/// # Errors
/// If the name cannot be a credential's, or a stream cannot be used.
pub fn serve(base: Options, agent: AgentName) -> Result<(), Error> {
    let caller = exacta_app::connected(&base, &agent)?;
    let desk = Desk::new(Pipe { base, agent, caller });
    let served = exacta_mcp::serve(desk, BufReader::new(stdin()), stdout().lock());
    served.map_err(|error| crate::fail::io(Exit::Fault, "read or write a standard stream", &error))
}
