//! What can be typed: the one definition behind parsing, help, completions and man pages.

mod agent;
mod approver;
mod ask;
mod audit;
mod autopilot;
mod connect;
mod group;
mod hook;
mod plan;
mod policy;
mod provider;
mod resolve;
mod run;
mod serve;
mod site;
mod token;

pub use agent::{AgentArgs, AgentCommand, AgentPlan, AgentRun, NetworkWord, TakeWord};
pub use approver::{ApproverAdd, ApproverCommand, ApproverPassphrase, ApproverRemove};
pub use ask::Ask;
pub use audit::{AuditCommand, AuditList, AuditProve, AuditShow, SessionCommand};
pub use autopilot::{
    AutopilotAdd, AutopilotAllow, AutopilotAnswer, AutopilotCommand, AutopilotRun, AutopilotSending, AutopilotSubmit,
    ListName, MailAdd, MailCommand, OnOff,
};
pub use connect::{Agent, Connect, ConnectMode};
pub use hook::{Hook, HookAgent};
pub use plan::{
    Approve, AwaitAnswer, Check, Diff, Edit, Init, List, Log, Patch, Reject, Resubmit, Review, Revise, Show, Signer,
    Source, SourceWith, Submit, Wait, Withdraw,
};
pub use policy::{PolicyCheck, PolicyCommand, PolicyExplain, PolicySet, ProfileCommand, ProfileName, ProfileSet};
pub use provider::{Kind, ProviderAdd, ProviderCommand, ProviderOne, ProviderUse};
pub use resolve::{Resolve, Word};
pub use run::{Cancel, Execute, Pace, Run, StatusArgs, Undo};
pub use serve::Serve;
pub use site::{
    Landed, SiteAdd, SiteCommand, SiteDraftArgs, SiteOne, SiteResolve, SiteRun, SiteRuns, SkillCommand, SkillList,
    SkillOne, SkillSync,
};
pub use token::{TokenAdd, TokenCommand, TokenRevoke};

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What the exit codes mean.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  done or allowed           2  usage, unknown id
 10  denied or rejected       20  above the ceiling
 30  confirmation needed      35  changes requested
 40  drifted, expired, lost race, wrong status
 50  failed and rolled back   60  system fault, needs attention";

const EXAMPLES: &str = "\
Examples:
  exacta                          what waits for you, and its review
  exacta demo                     the whole story in a throw-away project
  exacta init                     begin in this project
  exacta check plan.json          what would be decided, without a trace
  exacta run plan.json            submit, ask, execute
  exacta submit plan.json         submit it, then:
  exacta review k3f9              look at it full-screen and decide
  exacta execute k3f9             run it, all or nothing
  exacta undo                     undo the newest run";

/// Stands between an AI and your files.
///
/// Whatever an agent proposes becomes a plan: strictly parsed, validated, scored, gated by policy, approved by a person or by
/// rule, executed all-or-nothing, undoable, and recorded.
#[derive(Debug, Parser)]
#[command(name = "exacta", version, term_width = 80, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), disable_help_subcommand = true)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do; without it, what waits for you is shown and reviewed.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Act as if started in DIR
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Act on your desk, which belongs to no project
    #[arg(long, global = true, conflicts_with = "project", hide = true)]
    pub desk: bool,
    /// Act as this agent; without it, the name in `EXACTA_AGENT`, or as yourself
    #[arg(long, global = true, value_name = "NAME")]
    pub agent: Option<String>,
    /// Print one JSON object as the result
    #[arg(long, global = true)]
    pub json: bool,
    /// With `--json`, tell more about a plan: diff, hex, reasons, binding
    #[arg(long, global = true, value_name = "PARTS", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = exacta_view::With::WORDS)]
    pub with: Vec<String>,
    /// Show everything about a plan: every point's reason, hashes, session, binding
    #[arg(long, global = true)]
    pub verbose: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// What there is a JSON Schema of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// What agents submit.
    Proposal,
    /// What `check`, `submit`, `show` and others print about a plan with `--json`.
    PlanView,
}

/// The domains that a short schema can be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaDomain {
    /// Files of a project.
    Files,
    /// Web, mail, schedule.
    Autopilot,
    /// Pages of a site.
    Site,
}

impl From<SchemaDomain> for exacta_kernel::proposal::Domain {
    fn from(domain: SchemaDomain) -> Self {
        match domain {
            SchemaDomain::Files => Self::Files,
            SchemaDomain::Autopilot => Self::Autopilot,
            SchemaDomain::Site => Self::Site,
        }
    }
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play the whole story in a throw-away project
    #[command(after_help = "Examples:\n  exacta demo\n  exacta demo < /dev/null    without a person")]
    Demo,
    /// Review plans in a browser, on this machine
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Serve),
    /// Give agents tokens for `exacta serve`, and revoke them
    Token {
        /// What to do.
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Your WordPress sites, and plans for them
    Site {
        /// What to do.
        #[command(subcommand)]
        command: SiteCommand,
    },
    /// Skills: what plans for a site may use
    Skill {
        /// What to do.
        #[command(subcommand)]
        command: SkillCommand,
    },
    /// Begin in this project: its record, your first key, its profile
    #[command(after_help = INIT_EXAMPLES)]
    Init(Init),
    /// Say what would be decided about a proposal, and leave no trace
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Submit a proposal: it becomes a plan, or a recorded refusal
    #[command(after_help = SUBMIT_EXAMPLES)]
    Submit(Submit),
    /// List plans, newest first
    #[command(after_help = "Examples:\n  exacta list\n  exacta list --status pending --json")]
    List(List),
    /// Show everything about a plan
    #[command(after_help = SHOW_EXAMPLES)]
    Show(Show),
    /// Print what a plan changes, as a patch for `git apply`
    #[command(after_help = "Examples:\n  exacta diff k3f9\n  exacta diff k3f9 | git apply --check")]
    Diff(Diff),
    /// What happened here, newest first
    #[command(after_help = "Examples:\n  exacta log\n  exacta log k3f9 --patch")]
    Log(Log),
    /// Look at a plan full-screen and decide
    #[command(after_help = "Examples:\n  exacta review              the newest plan that waits\n  exacta review k3f9")]
    Review(Review),
    /// Approve a plan, or some of its steps; nothing runs yet
    #[command(after_help = APPROVE_EXAMPLES)]
    Approve(Approve),
    /// Reject a plan for good
    #[command(after_help = "Examples:\n  exacta reject k3f9 --reason \"touches the invoices\"")]
    Reject(Reject),
    /// Ask for changes to a plan; it stays as it is until its next version comes
    #[command(after_help = REVISE_EXAMPLES)]
    Revise(Revise),
    /// Change the files of a waiting plan in your editor: a new version of it, yours
    #[command(after_help = EDIT_HELP)]
    Edit(Edit),
    /// Withdraw a plan that has not run: your own while it waits, or an approval
    #[command(after_help = WITHDRAW_EXAMPLES)]
    Withdraw(Withdraw),
    /// Wait until a plan is decided; the exit code is the answer
    #[command(after_help = WAIT_EXAMPLES)]
    Wait(Wait),
    /// Make a new plan from the proposal of one that expired or has run
    #[command(after_help = "Examples:\n  exacta resubmit k3f9")]
    Resubmit(Resubmit),
    /// Run an approved plan, all or nothing
    #[command(after_help = EXECUTE_EXAMPLES)]
    Execute(Execute),
    /// Have a model of yours write a plan from a sentence; it passes the same gates as every plan
    #[command(after_help = ASK_EXAMPLES)]
    Ask(Box<Ask>),
    /// Submit, ask if a person is needed, and execute
    #[command(
        after_help = "Examples:\n  exacta run plan.json\n  git diff | exacta run -\n  agent | exacta run - --wait    ask elsewhere, then run\n  exacta run --from-worktree     adopt what is changed already\n  exacta run plan.json --constraint \"MUST_NOT delete files\""
    )]
    Run(Run),
    /// Stop a run that goes on, also in the background, and put everything back
    ///
    /// Waits for the end of the run. A run that is past its commit point completes, and the command says so.
    #[command(after_help = CANCEL_EXAMPLES)]
    Cancel(Cancel),
    /// Undo a completed run
    #[command(after_help = "Examples:\n  exacta undo                 the newest run\n  exacta undo 019a2f3e-8d2e")]
    Undo(Undo),
    /// Finish or roll back what a crash left behind
    #[command(after_help = "Examples:\n  exacta recover")]
    Recover,
    /// Show how the project stands
    #[command(after_help = "Examples:\n  exacta status\n  exacta status --watch")]
    Status(StatusArgs),
    /// The session that plans are made in
    Session {
        /// What to do.
        #[command(subcommand)]
        command: SessionCommand,
    },
    /// The record of everything that happened
    Audit {
        /// What to do.
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// How much may happen without a person in this project
    Profile {
        /// What to do.
        #[command(subcommand)]
        command: ProfileCommand,
    },
    /// The Safety Policy: the most that is ever allowed
    Policy {
        /// What to do.
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Who may approve
    Approver {
        /// What to do.
        #[command(subcommand)]
        command: ApproverCommand,
    },
    /// The AI providers that `ask` asks
    Provider {
        /// What to do.
        #[command(subcommand)]
        command: ProviderCommand,
    },
    /// Connect an agent's program, so that what it changes becomes plans
    ///
    /// Writes the settings of that program in your own configuration, never in the project: shows the difference, asks, keeps what was there,
    /// and `--undo` restores it.
    #[command(after_help = CONNECT_EXAMPLES)]
    Connect(Connect),
    /// Answer the hooks of an agent's program: its edits of a turn become one plan
    ///
    /// The program starts it; `exacta connect AGENT --mode record` tells it to. Whatever goes wrong, the edit is not made: exit code 2, with a
    /// reason, within five seconds.
    #[command(after_help = HOOK_EXAMPLES)]
    Hook(Hook),
    /// Serve an agent over the Model Context Protocol, on standard input and output
    ///
    /// The agent submits plans and learns what became of them. It can approve nothing.
    #[command(after_help = MCP_EXAMPLES)]
    Mcp,
    /// Run any agent on a copy of the project; what it changes becomes one plan
    ///
    /// The agent sees the copy in the project's place, a home folder of its own, and none of your keys, sockets or other files. Its network
    /// reaches its provider alone.
    #[command(after_help = AGENT_EXAMPLES)]
    Agent(Box<AgentArgs>),
    /// Standing requests: watch a page, brief me; they read, and ask before they write
    Autopilot {
        /// What to do.
        #[command(subcommand)]
        command: AutopilotCommand,
    },
    /// See whether everything that is needed works here
    #[command(after_help = "Examples:\n  exacta doctor")]
    Doctor,
    /// Print the JSON Schema of a proposal, or of what is printed about a plan
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema {
        /// What the schema is of
        #[arg(value_enum, default_value_t = SchemaOf::Proposal)]
        of: SchemaOf,
        /// Proposals of this domain alone: short, and for files with three examples
        #[arg(long, value_enum)]
        domain: Option<SchemaDomain>,
    },
    /// Explain a command, or a topic: keys, exit-codes
    #[command(after_help = "Examples:\n  exacta help\n  exacta help policy set\n  exacta help keys")]
    Help {
        /// The command or topic
        topic: Vec<String>,
    },
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a folder
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// The folder; made if it is missing
        dir: PathBuf,
    },
}

impl Command {
    /// Whether it lists, shows, decides or runs what is recorded, which outside any project is on the desk.
    #[must_use]
    pub const fn may_mean_desk(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Show(_)
                | Self::Diff(_)
                | Self::Log(_)
                | Self::Review(_)
                | Self::Approve(_)
                | Self::Reject(_)
                | Self::Withdraw(_)
                | Self::Wait(_)
                | Self::Resubmit(_)
                | Self::Execute(_)
                | Self::Undo(_)
                | Self::Status(_)
                | Self::Cancel(_)
        )
    }

    /// Whether standard input carries what is to run, so that it need not be the terminal of the person who is asked about it.
    #[must_use]
    pub fn runs_standard_input(&self) -> bool {
        matches!(self, Self::Run(args) if !args.from_worktree && args.files.iter().any(|file| file.as_os_str() == "-"))
    }

    /// Whether JSON lines are printed on the way.
    #[must_use]
    pub const fn tells_events(&self) -> bool {
        match self {
            Self::Execute(args) => args.pace.events,
            Self::Ask(args) => args.pace.events,
            Self::Run(args) => args.pace.events,
            Self::Undo(args) => args.pace.events,
            _ => false,
        }
    }
}

const SERVE_EXAMPLES: &str =
    "Examples:\n  exacta serve --open\n  exacta serve --listen 127.0.0.1:0 --json\n  exacta serve --unit";

const INIT_EXAMPLES: &str = "\
Examples:
  exacta init
  exacta init --profile SAFE --approver me";

const CHECK_EXAMPLES: &str = "\
Examples:
  exacta check plan.json
  agent | exacta check - --json
  exacta check plan.json --constraint 'MUST_NOT touch `billing/`'";

const SUBMIT_EXAMPLES: &str = "\
Examples:
  exacta submit plan.json
  agent | exacta submit - --json
  exacta submit fix.patch --intent FixBug --text 'round half up'
  exacta submit plan.json --wait --timeout 600 --json
  exacta submit second.json --revises k3f9";

const SHOW_EXAMPLES: &str = "\
Examples:
  exacta show k3f9
  exacta show k3f9 --stat
  exacta show k3f9 --hex | less
  exacta show k3f9 --risk --quality";

const APPROVE_EXAMPLES: &str = "\
Examples:
  exacta approve k3f9
  exacta approve k3f9 --steps s1,s2
  exacta approve PLAN_ID --hash HASH --approver-key ~/keys/me.key";

const WITHDRAW_EXAMPLES: &str =
    "Examples:\n  exacta withdraw k3f9\n  exacta withdraw k3f9 --reason 'the release was moved'";

const WAIT_EXAMPLES: &str = "Examples:\n  exacta wait k3f9 --timeout 600\n  exacta wait k3f9 m2xa --run

Exit codes: 0 approved (with `--run`: its run completed), 10 rejected, 35 changes requested, 40 expired or withdrawn, 30 not decided in time;
with `--run` also 50 rolled back and 60 needs a person.";

const REVISE_EXAMPLES: &str = "\
Examples:
  exacta revise k3f9 \"keep the old function for one release\"";

const ASK_EXAMPLES: &str = "\
Examples:
  exacta ask 'fix the crash when the config file is empty'
  exacta ask 'add a --quiet flag' --only src/ --must-not 'add dependencies'
  exacta ask 'round half up' --file src/money.py --run
  exacta ask 'rename the command' --show-context
  exacta ask --resume 019a2f3e-7c1d --answer location=src/config.py

Ends with 0 if the plan is allowed, 10 if the request or its plan is refused,
30 if a person is needed, 40 if the model changed on the way, 50 if it was
cancelled or the budget is used up, 60 if the provider cannot be reached.";

const EDIT_HELP: &str = "\
Opens each text file as the plan would leave it, in VISUAL, EDITOR or vi. What you
save becomes a new version of the plan with you as its proposer and without a
model; it is judged and shown again, and waits for your approval in every profile.
The plan that you edited is then over. Leave all as it is, and nothing happens.

Examples:
  exacta edit                 the newest plan that waits
  exacta edit k3f9";

const EXECUTE_EXAMPLES: &str = "\
Examples:
  exacta execute k3f9
  exacta execute k3f9 --events
  exacta execute k3f9 --detach && exacta status --watch";

const CANCEL_EXAMPLES: &str = "\
Examples:
  exacta execute k3f9 --detach
  exacta cancel k3f9                 the run of this plan
  exacta cancel 019a2f3e-8d2e        this run

Ends with 0 if the run is cancelled, with 40 if it had ended before.";

const CONNECT_EXAMPLES: &str = "\
Examples:
  exacta connect --list            what is here, and how it is connected
  exacta connect codex             ask how, show the difference, connect
  exacta connect claude --mode guard
  exacta connect codex --print     show what would be written
  exacta connect codex --check     start codex and see what it lets through
  exacta connect codex --undo      put its settings back

`--check` ends with 0 if the program does what its mode promises, else with 60.";

const HOOK_EXAMPLES: &str =
    "Examples:\n  exacta connect claude --mode record\n  exacta hook claude --project ~/shop < question.json";

const MCP_EXAMPLES: &str = "\
Examples:
  exacta mcp --project ~/shop --agent codex

An agent's program starts it; docs/mcp.md says how each is configured.";

const AGENT_EXAMPLES: &str = "\
Examples:
  exacta agent -- claude
  exacta agent --name fix --text 'round half up' -- codex exec 'fix rounding'
  exacta agent --share node_modules --allow mirror.example.com -- opencode
  exacta agent list
  exacta agent diff fix
  exacta agent submit fix

docs/agent.md says what an agent sees, and what is stopped.";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  exacta schema --domain files        short, with examples: give it to a model
  exacta schema > plan.schema.json    every field of every domain, for an editor
  exacta schema plan-view             what `exacta check --json` prints";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  exacta completions bash > ~/.local/share/bash-completion/completions/exacta
  exacta completions fish > ~/.config/fish/completions/exacta.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  exacta man ~/.local/share/man/man1";

/// The whole command line as data: what is typed, help, completions and man pages.
#[must_use]
pub fn command() -> clap::Command {
    group::grouped(Cli::command())
}
