//! Arguments of the commands about autopilots.

use super::{Resolve, Signer};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const ADD_EXAMPLES: &str = "\
Examples:
  exacta autopilot add prices 'watch https://example.com/prices' --dry-run
  exacta autopilot add prices 'watch https://example.com/prices' \\
      --cron '0 * * * *' --zone Europe/Berlin
  exacta autopilot add news 'a brief of the news' --recipe DailyBrief \\
      --source https://example.com/feed.xml
  exacta autopilot add chase 'draft a reminder to anna@example.com' \\
      --recipe Custom

Only these words, and what you allow by name, say what it may read and whom it
may write to, whatever a page, a mail or a model says.";

const ALLOW_EXAMPLES: &str = "\
Examples:
  exacta autopilot allow prices host shop.example.com
  exacta autopilot allow prices recipient anna@example.com
  exacta autopilot allow prices recipient @example.com";

const RESOLVE_EXAMPLES: &str = "\
Examples:
  exacta autopilot resolve 019a2f3e-7c1d-7e2a-9b4f-0123456789ab send done
  exacta autopilot resolve 019a2f3e-7c1d-7e2a-9b4f-0123456789ab send not-done

Nothing is ever sent again on a guess. If the mail is there, say `done`; if it is
not, `not-done`: then the rest of the run is reversed, and the mail no longer
counts for its day.";

/// `exacta autopilot …`
#[derive(Debug, Subcommand)]
pub enum AutopilotCommand {
    /// Add an autopilot: a standing request in your own words; an approver signs
    #[command(after_help = ADD_EXAMPLES)]
    Add(Box<AutopilotAdd>),
    /// List your autopilots
    #[command(after_help = "Examples:\n  exacta autopilot list\n  exacta autopilot list --json")]
    List,
    /// Show an autopilot: its words, what they allow, when it runs
    #[command(after_help = "Examples:\n  exacta autopilot show prices")]
    Show(AutopilotOne),
    /// Remove an autopilot; what it did stays on record
    #[command(after_help = "Examples:\n  exacta autopilot remove prices")]
    Remove(AutopilotOne),
    /// Have an autopilot rest
    #[command(after_help = "Examples:\n  exacta autopilot pause prices")]
    Pause(AutopilotOne),
    /// Have it work again
    #[command(after_help = "Examples:\n  exacta autopilot resume prices")]
    Resume(AutopilotOne),
    /// Allow an autopilot a host or a recipient by name; an approver signs
    #[command(after_help = ALLOW_EXAMPLES)]
    Allow(AutopilotAllow),
    /// Take a host or a recipient away
    #[command(after_help = "Examples:\n  exacta autopilot disallow prices host shop.example.com")]
    Disallow(AutopilotDisallow),
    /// Switch sending on or off; for `on` an approver signs
    #[command(
        after_help = "Examples:\n  exacta autopilot sending prices off\n  exacta autopilot sending prices on --per-day 3 --quiet 18-9"
    )]
    Sending(AutopilotSending),
    /// Turn a knob: how loud it is, never what it may do
    #[command(
        after_help = "Examples:\n  exacta autopilot tune prices min_diff_score_to_notify 0.2\n  exacta autopilot tune prices selector 'main .price'\n  exacta autopilot tune news max_bullets 10"
    )]
    Tune(AutopilotTune),
    /// Your mail accounts
    #[command(subcommand)]
    Mail(MailCommand),
    /// Have an autopilot do now what it does: read, and prepare a plan if there is something to write
    #[command(
        after_help = "Examples:\n  exacta autopilot run prices\n  exacta autopilot run prices --idempotency-key monday --json\n  exacta autopilot run mails --inbox-text forwarded.txt"
    )]
    Run(AutopilotRun),
    /// Submit an agent's plan for an autopilot: it is held against the autopilot's words and lists
    #[command(
        after_help = "Examples:\n  exacta autopilot submit chase plan.json\n  agent | exacta autopilot submit chase - --json"
    )]
    Submit(AutopilotSubmit),
    /// List what autopilots did, newest first
    #[command(after_help = "Examples:\n  exacta autopilot runs\n  exacta autopilot runs prices --json")]
    Runs(AutopilotRuns),
    /// Show one of them
    #[command(after_help = "Examples:\n  exacta autopilot run-show 019a2f3e-7c1d-7e2a-9b4f-0123456789ab")]
    RunShow(Occasion),
    /// End one before its plan runs
    #[command(after_help = "Examples:\n  exacta autopilot cancel 019a2f3e-7c1d-7e2a-9b4f-0123456789ab")]
    Cancel(Occasion),
    /// Answer what one of them asks; an approver signs
    #[command(
        after_help = "Examples:\n  exacta autopilot answer 019a2f3e-7c1d-7e2a-9b4f-0123456789ab recipient anna@example.com"
    )]
    Answer(AutopilotAnswer),
    /// Say what became of an act that nobody could tell of, after you looked; an approver signs
    #[command(after_help = RESOLVE_EXAMPLES)]
    Resolve(Resolve),
    /// Do everything that is due, once, in all of your projects; for a timer
    #[command(after_help = "Examples:\n  exacta autopilot tick\n  exacta autopilot tick --json")]
    Tick,
    /// Say how autopilots are: when each looked, how it went, whether it is late
    #[command(after_help = "Examples:\n  exacta autopilot health\n  exacta autopilot health prices --json")]
    Health(AutopilotRuns),
    /// Print a systemd timer that runs `tick` every minute
    #[command(after_help = "Examples:\n  exacta autopilot timer")]
    Timer,
}

const MAIL_EXAMPLES: &str = "\
Examples:
  exacta autopilot mail add work --imap imaps://mail.example.com \\
      --smtp smtps://mail.example.com --user me@example.com \\
      --password-file /home/me/.config/mail-password --from me@example.com

The password stays in its file (mode 0600, outside every project) or in the
environment; it is in no record, log or message.";

/// `exacta autopilot mail …`
#[derive(Debug, Subcommand)]
pub enum MailCommand {
    /// Add a mail account that autopilots may be given; an approver signs
    #[command(after_help = MAIL_EXAMPLES, override_usage = "exacta autopilot mail add <ACCOUNT> [OPTIONS]")]
    Add(Box<MailAdd>),
    /// List your mail accounts
    #[command(after_help = "Examples:\n  exacta autopilot mail list\n  exacta autopilot mail list --json")]
    List,
    /// Log in to an account's servers; nothing is changed there and nothing sent
    #[command(after_help = "Examples:\n  exacta autopilot mail test work")]
    Test(MailOne),
    /// Remove a mail account
    #[command(after_help = "Examples:\n  exacta autopilot mail remove work")]
    Remove(MailOne),
}

/// `exacta autopilot mail add`
#[derive(Debug, Args)]
pub struct MailAdd {
    /// What you call it
    pub account: String,
    /// Its IMAP server, such as imaps://mail.example.com
    #[arg(long, value_name = "URL")]
    pub imap: String,
    /// Its submission server, such as smtps://mail.example.com
    #[arg(long, value_name = "URL")]
    pub smtp: String,
    /// Who logs in
    #[arg(long, value_name = "USER")]
    pub user: String,
    /// The environment variable that has the password
    #[arg(long, value_name = "NAME", required_unless_present = "password_file")]
    pub password_env: Option<String>,
    /// The file that has the password in its first line; mode 0600, outside every project
    #[arg(long, value_name = "FILE", conflicts_with = "password_env")]
    pub password_file: Option<PathBuf>,
    /// The address it sends from
    #[arg(long, value_name = "ADDRESS")]
    pub from: String,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// One mail account.
#[derive(Debug, Args)]
pub struct MailOne {
    /// Its name
    pub account: String,
}

/// `exacta autopilot add`
#[derive(Debug, Args)]
pub struct AutopilotAdd {
    /// What you call it
    pub name: String,
    /// The request in your own words
    #[arg(required_unless_present = "request_file")]
    pub text: Option<String>,
    /// Read the request from a file
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub request_file: Option<PathBuf>,
    /// WebsiteMonitor, InboxTriage, DailyBrief or Custom; without it, by the words
    #[arg(long, value_name = "RECIPE")]
    pub recipe: Option<String>,
    /// Show what it would do, and store nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The page to watch
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// A source of a brief; may be given several times
    #[arg(long, value_name = "URL")]
    pub source: Vec<String>,
    /// The mail account that it drafts and sends with
    #[arg(long, value_name = "ACCOUNT")]
    pub mail: Option<String>,
    /// When it runs by itself: minute, hour, day, month, weekday
    #[arg(long, value_name = "EXPR")]
    pub cron: Option<String>,
    /// Your time zone, such as Europe/Berlin; UTC without it
    #[arg(long, value_name = "ZONE", requires = "cron")]
    pub zone: Option<String>,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// One autopilot.
#[derive(Debug, Args)]
pub struct AutopilotOne {
    /// Its name
    pub name: String,
}

/// What is allowed by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListName {
    /// A host to read.
    Host,
    /// An address to write to, or `@domain`.
    Recipient,
}

/// `exacta autopilot allow`
#[derive(Debug, Args)]
pub struct AutopilotAllow {
    /// Its name
    pub name: String,
    /// Which list
    #[arg(value_enum)]
    pub list: ListName,
    /// The host or address
    pub value: String,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta autopilot disallow`
#[derive(Debug, Args)]
pub struct AutopilotDisallow {
    /// Its name
    pub name: String,
    /// Which list
    #[arg(value_enum)]
    pub list: ListName,
    /// The host or address
    pub value: String,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// It sends.
    On,
    /// It does not.
    Off,
}

/// `exacta autopilot sending`
#[derive(Debug, Args)]
pub struct AutopilotSending {
    /// Its name
    pub name: String,
    /// Whether it sends
    #[arg(value_enum)]
    pub switch: OnOff,
    /// How many mails a day, 1 to 200
    #[arg(long, value_name = "N")]
    pub per_day: Option<u32>,
    /// The hours in which nothing is sent, such as 18-9; equal hours are none
    #[arg(long, value_name = "FROM-TO", value_parser = hours)]
    pub quiet: Option<(u8, u8)>,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta autopilot tune`
#[derive(Debug, Args)]
pub struct AutopilotTune {
    /// Its name
    pub name: String,
    /// The knob
    pub key: String,
    /// Its value
    pub value: String,
}

/// `exacta autopilot run`
#[derive(Debug, Args)]
pub struct AutopilotRun {
    /// Its name
    pub name: String,
    /// The text of a mail to sort, in the place of the inbox; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub inbox_text: Option<PathBuf>,
    /// The same key, the same occasion
    #[arg(long, value_name = "KEY")]
    pub idempotency_key: Option<String>,
}

/// `exacta autopilot submit`
#[derive(Debug, Args)]
pub struct AutopilotSubmit {
    /// Its name
    pub name: String,
    /// The plan; `-` for standard input
    pub plan: PathBuf,
}

/// `exacta autopilot runs`, `exacta autopilot health`
#[derive(Debug, Args)]
pub struct AutopilotRuns {
    /// Only of this autopilot
    pub name: Option<String>,
}

/// `exacta autopilot answer`
#[derive(Debug, Args)]
pub struct AutopilotAnswer {
    /// The occasion
    pub run: String,
    /// What it asks for
    pub field: String,
    /// One of the candidates, or `none`
    pub value: String,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// One occasion.
#[derive(Debug, Args)]
pub struct Occasion {
    /// Its id
    pub run: String,
}

/// `18-9` as two hours.
fn hours(text: &str) -> Result<(u8, u8), String> {
    let hour = |text: &str| text.parse::<u8>().ok().filter(|hour| *hour < 24);
    let parts = text.split_once('-').and_then(|(from, to)| Some((hour(from)?, hour(to)?)));
    parts.ok_or_else(|| "two hours of the day, such as 18-9".to_owned())
}
