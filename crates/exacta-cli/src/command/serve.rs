//! The review page and the HTTP interface, until it is told to end.

use super::{Context, Face};
use crate::args::Serve;
use crate::fail;
use exacta_app::{Error, Exit, Options};
use exacta_kernel::approval::ApproverName;
use exacta_serve::{Bound, Settings, TlsFiles};
use serde::Serialize;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where a server is, for programs.
#[derive(Debug, Serialize)]
struct Served {
    projects: Vec<String>,
    address: String,
    approver: String,
    session_url: String,
}

/// `exacta serve`
pub fn serve(args: &Serve, context: &Context) -> Result<u8, Error> {
    if args.unit {
        context.output.unit(&units(&context.options, args)?);
        return Ok(Exit::Done.code());
    }
    let approver = args.approver.as_deref().map(approver).transpose()?;
    let bound = exacta_serve::bind(settings(args, context, approver))?;
    tell(&bound, context)?;
    if args.open {
        open(&bound.session_url(), context);
    }
    bound.run()?;
    Ok(Exit::Done.code())
}

fn settings(args: &Serve, context: &Context, approver: Option<ApproverName>) -> Settings {
    let tls = args.tls_certificate.clone().zip(args.tls_key.clone());
    Settings {
        options: context.options.clone(),
        listen: args.listen,
        approver,
        beyond: args.beyond_this_machine,
        tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
        name: args.name.clone(),
    }
}

fn approver(name: &str) -> Result<ApproverName, Error> {
    ApproverName::parse(name).map_err(|error| {
        Error::new(Exit::Usage, "approver_unknown", format!("`{name}`: {error}")).hint("see `exacta approver list`")
    })
}

fn tell(bound: &Bound, context: &Context) -> Result<(), Error> {
    let projects = bound.projects();
    let (address, approver) = (bound.address().to_string(), bound.approver().to_string());
    let session_url = bound.session_url();
    if context.output.is_json() {
        let body = Served { projects, address, approver, session_url };
        context.output.json(&Face { schema: "exacta.serve/1", body });
    } else {
        let what = match projects.as_slice() {
            [only] => format!("`{only}`"),
            [] => "your projects (none yet)".to_owned(),
            all => format!("{} projects", all.len()),
        };
        context.output.note(&format!("serving {what} for {approver} on {address}; Ctrl-C ends it"));
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

/// Systemd user units for the project that was named, or for all: a socket, and the service that is started when somebody comes. They name no
/// secret: the link is in the journal of the user who starts it.
fn units(options: &Options, args: &Serve) -> Result<String, Error> {
    let program = std::env::current_exe().map_err(|error| fail::io(Exit::Fault, "find this program", &error))?;
    let project = options.project.as_ref().map(|_| options.root()).transpose()?;
    let (of, named) = project.as_deref().map_or_else(
        || ("your projects".to_owned(), String::new()),
        |folder| (quoted(folder), format!(" --project {}", quoted(folder))),
    );
    let approver = args.approver.as_ref().map_or_else(String::new, |name| format!(" --approver {name}"));
    let mut tls = String::new();
    for (flag, path) in [("--tls-certificate", &args.tls_certificate), ("--tls-key", &args.tls_key)] {
        tls.extend(path.as_ref().map(|path| format!(" {flag} {}", quoted(path))));
    }
    tls.extend(args.name.as_ref().map(|name| format!(" --name {name}")));
    tls.push_str(if args.beyond_this_machine { " --beyond-this-machine" } else { "" });
    Ok(format!(
        "# ~/.config/systemd/user/exacta.socket\n\
         [Unit]\nDescription=Exacta review page of {of}\n\n\
         [Socket]\nListenStream={listen}\n\n\
         [Install]\nWantedBy=sockets.target\n\n\
         # ~/.config/systemd/user/exacta.service\n\
         [Unit]\nDescription=Exacta review page of {of}\nRequires=exacta.socket\nAfter=exacta.socket\n\n\
         [Service]\nExecStart={program}{named} serve --listen {listen}{approver}{tls}\nRestart=on-failure\n\n\
         # then: systemctl --user enable --now exacta.socket\n\
         # the link is in its journal: journalctl --user -u exacta.service\n",
        program = quoted(&program),
        listen = args.listen,
    ))
}

/// A path as a unit has it: quoted, and its percent signs doubled.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{text}\"")
}
