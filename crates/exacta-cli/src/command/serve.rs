//! The review page and the HTTP interface, until it is told to end.

use super::{Context, Face};
use crate::args::Serve;
use crate::fail;
use exacta_app::{Error, Exit, Options};
use exacta_kernel::approval::ApproverName;
use exacta_serve::{Bound, Settings};
use serde::Serialize;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where a server is, for programs.
#[derive(Debug, Serialize)]
struct Served {
    project: String,
    address: String,
    approver: String,
    session_url: String,
}

/// `exacta serve`
pub fn serve(args: &Serve, context: &Context) -> Result<u8, Error> {
    if args.unit {
        context.output.unit(&unit(&context.options, args)?);
        return Ok(Exit::Done.code());
    }
    let approver = args.approver.as_deref().map(approver).transpose()?;
    let bound = exacta_serve::bind(Settings { options: context.options.clone(), listen: args.listen, approver })?;
    tell(&bound, context)?;
    if args.open {
        open(&bound.session_url(), context);
    }
    bound.run()?;
    Ok(Exit::Done.code())
}

fn approver(name: &str) -> Result<ApproverName, Error> {
    ApproverName::parse(name).map_err(|error| {
        Error::new(Exit::Usage, "approver_unknown", format!("`{name}`: {error}")).hint("see `exacta approver list`")
    })
}

fn tell(bound: &Bound, context: &Context) -> Result<(), Error> {
    let project = context.options.root()?.display().to_string();
    let (address, approver) = (bound.address().to_string(), bound.approver().to_string());
    let session_url = bound.session_url();
    if context.output.is_json() {
        let body = Served { project, address, approver, session_url };
        context.output.json(&Face { schema: "exacta.serve/1", body });
    } else {
        context.output.note(&format!("serving `{project}` for {approver} on {address}; Ctrl-C ends it"));
        context.output.text(&format!("{session_url}\n"));
        context.output.note("the link opens the review page, once; plans made there end with this server");
    }
    Ok(())
}

/// Opens the page, if there is a way; the link was printed all the same.
fn open(url: &str, context: &Context) {
    let opened =
        Command::new("xdg-open").arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = opened {
        context.output.note(&format!("cannot open a browser: {error}; open the link yourself"));
    }
}

/// A systemd user unit for this project. It names no secret: the link is in the journal of the user who starts it.
fn unit(options: &Options, args: &Serve) -> Result<String, Error> {
    let program = std::env::current_exe().map_err(|error| fail::io(Exit::Fault, "find this program", &error))?;
    let project = options.root()?;
    let approver = args.approver.as_ref().map_or_else(String::new, |name| format!(" --approver {name}"));
    Ok(format!(
        "[Unit]\nDescription=Exacta review page of {folder}\n\n[Service]\nExecStart={program} --project {folder} serve --listen {listen}{approver}\nRestart=on-failure\n\n[Install]\nWantedBy=default.target\n",
        folder = quoted(&project),
        program = quoted(&program),
        listen = args.listen,
    ))
}

/// A path as a unit has it: quoted, and its percent signs doubled.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{text}\"")
}
