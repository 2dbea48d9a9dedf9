//! The stable names of what goes wrong, in one list: what each means, how a command ends with it, what helps, and HTTP's status
//! where that says more than how a command would end. `docs/errors.md` is written from it.
//!
//! What is wrong with a plan has names of its own (`exacta_kernel::finding::Code`), and so have providers, sites and the web; an
//! error about one of these carries that name.

use super::Exit;
use exacta_kernel::finding::Code;
use serde::Serialize;
use std::fmt;

/// A stable name of what went wrong, such as `plan_unknown`. Whoever decides by one compares it with a constant of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ErrorCode(&'static str);

/// What the list says of a code.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The code.
    pub code: ErrorCode,
    /// How a command can end with it, the usual way first.
    pub exits: &'static [Exit],
    /// What it means.
    pub means: &'static str,
    /// What helps.
    pub fix: &'static str,
    /// The status over HTTP, where that says more than the exit.
    pub status: Option<u16>,
}

macro_rules! codes {
    ($(#[doc = $means:literal] $name:ident = $text:literal, [$($exit:ident),+], $fix:literal $(, $status:literal)?;)*) => {
        impl ErrorCode {
            $(#[doc = $means] pub const $name: Self = Self($text);)*

            /// Every code of the list, in its order.
            pub const LIST: &[Row] = &[$(Row {
                code: Self::$name,
                exits: &[$(Exit::$exit),+],
                means: $means,
                fix: $fix,
                status: codes!(@status $($status)?),
            },)*];
        }
    };
    (@status $status:literal) => { Some($status) };
    (@status) => { None };
}

impl ErrorCode {
    /// The code as it is written everywhere.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Its row in the list; what another crate named has none.
    #[must_use]
    pub fn row(self) -> Option<&'static Row> {
        Self::LIST.iter().find(|row| row.code == self)
    }

    /// The status over HTTP, where that says more than how a command would end.
    #[must_use]
    pub fn status(self) -> Option<u16> {
        self.row().and_then(|row| row.status)
    }

    /// Whether it is about what Plan Contract v1 knows: a plan, a run or a skill.
    #[must_use]
    pub fn is_of_contract(self) -> bool {
        ["PLAN_", "RUN_", "SKILL_"].iter().any(|area| self.0.starts_with(area))
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl From<&'static str> for ErrorCode {
    fn from(text: &'static str) -> Self {
        Self(text)
    }
}

impl From<Code> for ErrorCode {
    fn from(code: Code) -> Self {
        Self(code.as_str())
    }
}

impl PartialEq<&str> for ErrorCode {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

codes! {
    /// Above the most that the Safety Policy allows.
    ABOVE_CEILING = "above_ceiling", [AboveCeiling], "choose less, or the operator raises the ceiling";
    /// A merge left conflicts in what would be adopted.
    ADOPT_CONFLICT = "adopt_conflict", [Usage], "settle them, or name other files";
    /// What lies in the work tree cannot be written as a proposal.
    ADOPT_IO = "adopt_io", [Fault], "what the message names";
    /// Nothing there differs from what is committed, or nothing that a plan can carry.
    ADOPT_NOTHING = "adopt_nothing", [Usage], "name what differs";
    /// Something is staged that is neither committed nor in the work tree.
    ADOPT_STAGED = "adopt_staged", [Usage], "stage what lies there, or nothing, or name other files";
    /// More files differ from what is committed than any plan may have.
    ADOPT_TOO_MANY = "adopt_too_many", [Usage], "name some of them";
    /// Every name of a copy is taken.
    AGENT_BUSY = "agent_busy", [Usage], "drop a copy that is over";
    /// The agent was stopped; its copy stays.
    AGENT_CANCELLED = "agent_cancelled", [RolledBack], "look at what it did, and submit or drop it";
    /// Files of the copy have changed in the project meanwhile.
    AGENT_DRIFTED = "agent_drifted", [Drifted], "bring the copy up to date, or choose a side for each file";
    /// An agent's name that cannot be one.
    AGENT_INVALID = "agent_invalid", [Usage], "1 to 64 lower-case letters, digits, `.`, `_` and `-`";
    /// A copy cannot be made, read or written.
    AGENT_IO = "agent_io", [Fault], "remove what the message names";
    /// A copy stays, since its changes were not submitted.
    AGENT_KEPT = "agent_kept", [Denied], "submit it, or drop it and say so";
    /// An agent cannot run so: a folder, a host or a path that may not be shared.
    AGENT_REFUSED = "agent_refused", [Usage], "what the message names";
    /// A copy has changes that no plan can hold.
    AGENT_REST = "agent_rest", [Confirm], "go on without them, and say so";
    /// There is no copy of that name.
    AGENT_UNKNOWN = "agent_unknown", [Usage], "list the copies";
    /// Dropping the copies would lose changes.
    AGENT_UNSUBMITTED = "agent_unsubmitted", [Confirm], "submit them, or say that they are to go";
    /// The plan had its run.
    ALREADY_RUN = "already_run", [Drifted], "submit the change again if it is still wanted";
    /// The run is undone already, or being undone.
    ALREADY_UNDONE = "already_undone", [Drifted], "look at the runs";
    /// An answer that is not FIELD=VALUE.
    ANSWER_INVALID = "answer_invalid", [Usage], "write it so";
    /// An answer that the autopilot cannot use.
    ANSWER_UNUSABLE = "answer_unusable", [Usage], "what the message names";
    /// A signature that does not verify, or of somebody who may not approve.
    APPROVAL_INVALID = "approval_invalid", [Denied], "sign with the key of an approver", 403;
    /// The plan waits for a person.
    APPROVAL_NEEDED = "approval_needed", [Confirm], "a person reviews it";
    /// What was approved is not what would run now.
    APPROVAL_OUTDATED = "approval_outdated", [Drifted], "look at it again, and approve it again";
    /// There is an approver already.
    APPROVER_EXISTS = "approver_exists", [Usage], "leave the name out, or add another approver";
    /// There is no approver of that name.
    APPROVER_UNKNOWN = "approver_unknown", [Usage], "list the approvers";
    /// A tool was called with arguments that do not fit.
    ARGUMENTS_INVALID = "arguments_invalid", [Usage], "call it again by its schema";
    /// There is no autopilot of that name.
    AUTOPILOT_UNKNOWN = "autopilot_unknown", [Usage], "list the autopilots";
    /// An autopilot cannot be set so.
    AUTOPILOT_UNUSABLE = "autopilot_unusable", [Usage], "what the message names";
    /// The body of a request does not fit.
    BODY_INVALID = "body_invalid", [Usage], "the interface's description has every field";
    /// A budget that is no amount of money.
    BUDGET_INVALID = "budget_invalid", [Usage], "write it as 0.25";
    /// All who could answer are at work.
    BUSY = "busy", [Fault, Usage], "ask again in a moment", 503;
    /// Only a person may do this.
    CALLER_NOT_PERSON = "caller_not_person", [Denied], "ask a person to do it", 403;
    /// Stopped before anything was changed, or put back.
    CANCELLED = "cancelled", [RolledBack], "give the command again";
    /// A person wants the plan to be different.
    CHANGES_REQUESTED = "changes_requested", [ChangesRequested], "submit a new version that answers";
    /// A check of the operator's does not pass on the result, which was put back.
    CHECK_FAILED = "check_failed", [RolledBack], "fix what the check says";
    /// The time cannot be told.
    CLOCK = "clock", [Fault], "set the clock and the time zone of this machine";
    /// The project's configuration cannot be used.
    CONFIG_UNUSABLE = "config_unusable", [Denied], "make it a readable regular file, or remove it";
    /// An agent that works in a copy needs no connection.
    CONNECT_COPY = "connect_copy", [Usage], "run it in a copy";
    /// The agent is connected to another project.
    CONNECTED_ELSEWHERE = "connected_elsewhere", [Usage], "connect it for all projects, or end the other connection";
    /// A constraint that cannot be one.
    CONSTRAINT_INVALID = "constraint_invalid", [Usage], "what the message names";
    /// A credential's name that cannot be one.
    CREDENTIAL_INVALID = "credential_invalid", [Usage], "a kind and a name, as in `token:codex`";
    /// You said no; nothing was changed.
    DECLINED = "declined", [Confirm], "give the command again to decide";
    /// A plan of high risk is approved by a word, which was not given.
    DELIBERATE = "deliberate", [Usage], "`word`: `approve`";
    /// The demonstration did not go as it should.
    DEMO = "demo", [Fault], "report it as a defect";
    /// Somebody's edit was left as it is, and the rest put back.
    EDIT_KEPT = "edit_kept", [Fault], "look at the file, and give the command again";
    /// An edit that does not fit the file.
    EDIT_MISFIT = "edit_misfit", [Denied], "read the file again, and make it fit";
    /// The editor cannot be started, or failed.
    EDITOR_FAILED = "editor_failed", [Usage], "name another one in `VISUAL` or `EDITOR`";
    /// The log has no such entry.
    ENTRY_UNKNOWN = "entry_unknown", [Usage], "list the log", 404;
    /// A form that this session did not show.
    FORM_REFUSED = "form_refused", [Usage], "reload the page", 403;
    /// The project is not the root of a git work tree, or its repository cannot be read.
    GIT_UNREADABLE = "git_unreadable", [Fault], "what the message names";
    /// The plan is not the one that was looked at.
    HASH_MISMATCH = "hash_mismatch", [Drifted, Usage], "look at it again";
    /// Whoever decides with a key, or from afar, says what was looked at.
    HASH_REQUIRED = "hash_required", [Usage], "pass the whole hash of the plan";
    /// A hash that is not whole.
    HASH_SHORT = "hash_short", [Usage], "pass all 64 digits";
    /// The user's own folder cannot be used so.
    HOME = "home", [Usage, Denied, Fault], "what the message names";
    /// An answer took longer than the agent waits.
    HOOK_LATE = "hook_late", [Fault], "try again";
    /// The server does not answer to that name.
    HOST_REFUSED = "host_refused", [Usage], "use the address that it printed";
    /// The text of a mail cannot be used.
    INBOX_TEXT_UNUSABLE = "inbox_text_unusable", [Usage], "UTF-8, and not too long";
    /// A defect of Exacta.
    INTERNAL = "internal", [Fault], "report it";
    /// You stopped it; nothing was decided.
    INTERRUPTED = "interrupted", [Confirm, RolledBack], "give the command again";
    /// A file or stream cannot be read or written.
    IO = "io", [Usage, Denied, Fault], "see that it exists and is yours";
    /// An approver's key cannot be used: its file, or the passphrase.
    KEY = "key", [Usage], "what the message names";
    /// No approver's key is here.
    KEY_MISSING = "key_missing", [Usage], "make one, or name one";
    /// An idempotency key was used for another request.
    KEY_REUSED = "key_reused", [Usage], "use a new one";
    /// An agent would be connected while a key lies open.
    KEY_WITHOUT_PASSPHRASE = "key_without_passphrase", [Usage], "protect the key with a passphrase";
    /// Another process holds what this needs.
    LOCKED = "locked", [Fault], "wait for it, or have it queue";
    /// Another decision came first.
    LOST_RACE = "lost_race", [Drifted], "look at it, and decide again";
    /// The mail server does not do what is asked.
    MAIL_FAILED = "mail_failed", [Fault], "correct what the message names";
    /// There is no mail account of that name.
    MAIL_UNKNOWN = "mail_unknown", [Usage], "list the accounts";
    /// A mail account cannot be set so.
    MAIL_UNUSABLE = "mail_unusable", [Usage], "what the message names";
    /// A request of another type than this takes.
    MEDIA_TYPE = "media_type", [Usage], "send JSON, or the page's own form", 415;
    /// A request by another method than this takes.
    METHOD_NOT_ALLOWED = "method_not_allowed", [Usage], "the interface's description has the method", 405;
    /// An agent cannot be connected in that way.
    MODE_UNKNOWN = "mode_unknown", [Usage], "one of the ways that the hint names";
    /// A model's name that cannot be one.
    MODEL_INVALID = "model_invalid", [Usage], "write it as PROVIDER/MODEL";
    /// A name that cannot be one.
    NAME_INVALID = "name_invalid", [Usage], "a letter or digit, then letters, digits and few signs";
    /// The name is taken.
    NAME_TAKEN = "name_taken", [Usage], "choose another";
    /// A run could neither be finished nor put back.
    NEEDS_ATTENTION = "needs_attention", [Fault], "look at what the message names, then recover";
    /// Nothing here can do what the plan asks.
    NO_EXECUTOR = "no_executor", [Denied], "it stays readable";
    /// `HOME` is not set.
    NO_HOME = "no_home", [Usage], "set it";
    /// The system gives no random numbers.
    NO_RANDOMNESS = "no_randomness", [Fault], "see what is wrong with it";
    /// A text that is no patch of a known form.
    NOT_A_PATCH = "not_a_patch", [Usage], "say which form it has";
    /// This caller may not do this.
    NOT_ALLOWED = "not_allowed", [Usage, Denied], "a person does it", 403;
    /// A run could not be begun; nothing was changed.
    NOT_BEGUN = "not_begun", [Fault], "give the command again";
    /// The agent is not connected.
    NOT_CONNECTED = "not_connected", [Usage], "list the connections";
    /// The run goes on for now.
    NOT_ENDED = "not_ended", [Fault], "watch it";
    /// There is no such page.
    NOT_FOUND = "not_found", [Usage], "the inbox is at `/`", 404;
    /// What a run left behind, or needs, cannot be kept or read.
    NOT_KEPT = "not_kept", [Fault, Drifted], "what the message names";
    /// The server cannot listen at that address.
    NOT_LISTENING = "not_listening", [Fault], "name another";
    /// An address that other machines reach, without TLS.
    NOT_LOOPBACK = "not_loopback", [Usage], "name a certificate, or an address of this machine";
    /// The process of a run cannot be told to stop.
    NOT_REACHED = "not_reached", [Fault], "cancel it where it was started";
    /// A setting without a valid signature counts for nothing.
    NOT_SIGNED = "not_signed", [Denied], "sign it again";
    /// A run in the background has not begun yet.
    NOT_STARTED = "not_started", [Fault], "look whether it does";
    /// The autopilot asks nothing.
    NOTHING_ASKED = "nothing_asked", [Usage], "list what waits";
    /// No plan waits.
    NOTHING_PENDING = "nothing_pending", [Usage], "list the plans";
    /// There is no such occasion of the autopilot.
    OCCASION_UNKNOWN = "occasion_unknown", [Usage], "list them";
    /// More than one proposal was named.
    ONE_FILE = "one_file", [Usage], "run one at a time";
    /// An operation's id that cannot be one.
    OPERATION_INVALID = "operation_invalid", [Usage], "`detail.correlation_id` of a plan";
    /// An operation that policy does not know.
    OPERATION_UNKNOWN = "operation_unknown", [Usage], "one of those that the hint names";
    /// Another page asks.
    ORIGIN_REFUSED = "origin_refused", [Usage], "use the page itself", 403;
    /// Nobody can tell whether an act happened.
    OUTCOME_UNKNOWN = "outcome_unknown", [Fault], "look yourself, then say so";
    /// The key needs its passphrase.
    PASSPHRASE_NEEDED = "passphrase_needed", [Usage], "type it";
    /// There is no password where it should be.
    PASSWORD_MISSING = "password_missing", [Usage], "put it there";
    /// A text that can be no password.
    PASSWORD_UNUSABLE = "password_unusable", [Usage], "one line, not too long";
    /// The change has no form as a patch.
    PATCH_IMPOSSIBLE = "patch_impossible", [Denied], "look at the plan itself";
    /// A path that cannot be one of this project.
    PATH_INVALID = "path_invalid", [Usage], "what the message names";
    /// A path is not in the project.
    PATH_OUTSIDE = "path_outside", [Usage], "name files and folders of the project";
    /// It cannot be told where a path leads.
    PATH_UNCLEAR = "path_unclear", [Fault], "see what lies on its way";
    /// A person has to say so.
    PERSON_NEEDED = "person_needed", [Confirm], "at a terminal, or with an approver's key";
    /// Several plans begin so.
    PLAN_AMBIGUOUS = "plan_ambiguous", [Usage], "give more of the id";
    /// A gate denies the plan; no approval can override it.
    PLAN_DENIED = "plan_denied", [Denied], "look why, and submit another";
    /// The plan was made against something else than there is now.
    PLAN_DRIFTED = "plan_drifted", [Drifted], "make a new plan of it";
    /// The plan is over.
    PLAN_EXPIRED = "plan_expired", [Drifted], "make a new plan of the same proposal";
    /// Whoever decides with a key names the whole id.
    PLAN_ID_NOT_WHOLE = "plan_id_not_whole", [Usage], "pass the whole id";
    /// A plan that has nothing to be edited in an editor.
    PLAN_NOT_EDITABLE = "plan_not_editable", [Usage], "submit a new version";
    /// An edit that leaves no plan.
    PLAN_NOT_EDITED = "plan_not_edited", [Usage], "edit it again, or reject the plan";
    /// The plan's text was not kept, since it has a secret.
    PLAN_NOT_KEPT = "plan_not_kept", [Denied], "submit a plan without the secret";
    /// The plan is another proposer's.
    PLAN_NOT_OWN = "plan_not_own", [Denied], "its own proposer can, or a person", 403;
    /// A person rejected the plan: that is final.
    PLAN_REJECTED = "plan_rejected", [Denied], "submit one that answers the reason";
    /// A text that is larger than a plan may be.
    AUTOPILOT_PLAN_TOO_LARGE = "plan_too_large", [Denied], "split it";
    /// There is no such plan, or it is not yours to see.
    PLAN_UNKNOWN = "plan_unknown", [Usage], "list the plans", 404;
    /// The Safety Policy cannot be read: everything is denied.
    POLICY_BROKEN = "policy_broken", [Denied], "fix the file";
    /// The Safety Policy is not the one that was read.
    POLICY_CHANGED = "policy_changed", [Drifted], "read it again, and decide again";
    /// A key that no policy has.
    POLICY_KEY_INVALID = "policy_key_invalid", [Usage], "keys are those that the policy shows, with dots";
    /// The profile was changed meanwhile.
    PROFILE_CHANGED = "profile_changed", [Drifted], "look why, and give the command again";
    /// It cannot be told where this program is.
    PROGRAM_UNKNOWN = "program_unknown", [Fault], "start it by its path";
    /// The project belongs to another user.
    PROJECT_FOREIGN = "project_foreign", [Usage], "begin one of your own, or trust its owner";
    /// The request does not say which project it is about.
    PROJECT_REQUIRED = "project_required", [Usage], "name the project";
    /// Nothing is recorded for that folder.
    PROJECT_UNKNOWN = "project_unknown", [Usage], "begin a project there, or name another", 404;
    /// The folder cannot be used as a project.
    PROJECT_UNUSABLE = "project_unusable", [Usage, Fault], "name a folder that is yours to read";
    /// There is no provider of that name.
    PROVIDER_UNKNOWN = "provider_unknown", [Usage, Fault], "list the providers";
    /// A hook's question cannot be read.
    QUESTION_UNREAD = "question_unread", [Usage], "report it, with the agent's version";
    /// There is no such recipe.
    RECIPE_UNKNOWN = "recipe_unknown", [Usage], "one of those that the hint names";
    /// The database is none any more.
    RECORD_DAMAGED = "record_damaged", [Fault], "start the record over; the old one is kept";
    /// Records lie here that were made at another place.
    RECORD_ELSEWHERE = "record_elsewhere", [Fault], "move them back, or start over";
    /// There was a record, and there is none.
    RECORD_GONE = "record_gone", [Fault], "put it back, or start over";
    /// The record is in order.
    RECORD_SOUND = "record_sound", [Usage], "nothing has to be started over";
    /// The record was changed from outside.
    RECORD_TAMPERED = "record_tampered", [Fault], "verify it: that shows every place";
    /// The record cannot be opened.
    RECORD_UNREADABLE = "record_unreadable", [Fault], "what the message names";
    /// A run that was interrupted could not be brought to its end.
    RECOVERY_FAILED = "recovery_failed", [Fault], "remove the cause, then recover";
    /// A person rejected the plan.
    REJECTED = "rejected", [Denied], "ask what they want instead";
    /// The run failed, and everything is as before.
    ROLLED_BACK = "rolled_back", [RolledBack], "remove the cause, and run it again";
    /// Several runs begin so.
    RUN_AMBIGUOUS = "run_ambiguous", [Usage], "give more of the id";
    /// The run has ended.
    RUN_ENDED = "run_ended", [Drifted], "a completed one can be undone";
    /// Whoever decides with a key names the whole id.
    RUN_ID_NOT_WHOLE = "run_id_not_whole", [Usage], "pass the whole id";
    /// The background process ended without a word.
    RUN_LOST = "run_lost", [Fault], "look what became of the run, then recover";
    /// There is no such run, or it is not yours to see.
    RUN_UNKNOWN = "run_unknown", [Usage, Fault], "look at the runs", 404;
    /// Runs are going on.
    RUNS_GOING_ON = "runs_going_on", [Fault], "wait for them";
    /// The caller lacks the scope for this.
    SCOPE_MISSING = "scope_missing", [Denied], "a person gives it, or does it", 403;
    /// There is no such scope.
    SCOPE_UNKNOWN = "scope_unknown", [Usage], "one of those that the hint names";
    /// The steps or hunks chosen make no plan.
    SELECTION_INVALID = "selection_invalid", [Usage, Denied], "choose those that they depend on, too";
    /// The server cannot go on.
    SERVER = "server", [Fault], "start it again";
    /// A setting was changed and the change could not be recorded.
    SETTING_UNRECORDED = "setting_unrecorded", [Fault], "look at the setting, and set it again";
    /// An agent's own settings would lie in the project.
    SETTINGS_IN_PROJECT = "settings_in_project", [Denied], "keep them outside it";
    /// The settings of an agent's program cannot be read or written.
    SETTINGS_UNUSABLE = "settings_unusable", [Usage, Denied, Fault], "what the message names";
    /// A site cannot be set so.
    SITE_UNUSABLE = "site_unusable", [Usage], "what the message names";
    /// What was read is not as it was kept.
    SNAPSHOT_CHANGED = "snapshot_changed", [Drifted], "have the autopilot run again";
    /// A socket that a server was started with cannot be used.
    SOCKET_UNUSABLE = "socket_unusable", [Usage], "one `ListenStream=` with an address and a port";
    /// The run waits for a word about another step.
    STEP_UNKNOWN = "step_unknown", [Usage], "name that step";
    /// The record cannot be read or written.
    STORE = "store", [Fault], "what the message names";
    /// A file is not as the plan saw it.
    TARGET_CHANGED = "target_changed", [Drifted], "make a new plan, or undo the later change first";
    /// A target that cannot be changed without losing something.
    TARGET_REFUSED = "target_refused", [Denied], "what the message names";
    /// A target cannot be read.
    TARGET_UNREADABLE = "target_unreadable", [Fault], "what the message names";
    /// The terminal cannot be read or written.
    TERMINAL = "terminal", [Fault], "give the command at another";
    /// A full screen is beyond this terminal.
    TERMINAL_TOO_PLAIN = "terminal_too_plain", [Usage], "decide with single commands";
    /// Nothing was said that should be different.
    TEXT_MISSING = "text_missing", [Usage], "say what";
    /// Words that are longer than is kept.
    TEXT_TOO_LONG = "text_too_long", [Usage], "say it in fewer";
    /// A certificate or key cannot be used.
    TLS_UNUSABLE = "tls_unusable", [Usage], "PEM files that belong together; the key for you alone";
    /// There is no token of that name.
    TOKEN_UNKNOWN = "token_unknown", [Usage], "list the tokens";
    /// A request that is too large.
    TOO_LARGE = "too_large", [Usage], "send less", 413;
    /// Too many requests at once.
    TOO_MANY = "too_many", [Usage], "wait a second", 429;
    /// As many runs go on as may.
    TOO_MANY_RUNS = "too_many_runs", [Fault], "wait, or have it queue";
    /// There is no help on that.
    TOPIC_UNKNOWN = "topic_unknown", [Usage], "the commands and topics that the hint names";
    /// The transcript cannot be written.
    TRANSCRIPT = "transcript", [Usage, Fault], "name another file";
    /// The folder of an agent's turn cannot be used.
    TURN_UNUSABLE = "turn_unusable", [Fault], "see that it is yours";
    /// Nobody has shown who asks.
    UNAUTHENTICATED = "unauthenticated", [Denied, Usage], "open the printed link, or send a token", 401;
    /// A person signs for an undo.
    UNDO_NEEDS_PERSON = "undo_needs_person", [Denied], "ask a person", 403;
    /// A file was no text before: no plan can put it back.
    UNDO_NOT_TEXT = "undo_not_text", [Denied], "a person undoes it";
    /// What the record says of the run does not verify.
    UNDO_REFUSED = "undo_refused", [Denied], "verify the record";
    /// An input cannot be read.
    UNREADABLE = "unreadable", [Usage], "what the message names";
    /// How a run ended could not be recorded.
    UNRECORDED = "unrecorded", [Fault], "the next command records it";
    /// A check would not see the change.
    UNSEEN_BY_CHECK = "unseen_by_check", [Denied], "what the message names";
    /// A command or request that does not fit.
    USAGE = "usage", [Usage], "its help";
    /// The run's state does not allow this.
    WRONG_STATE = "wrong_state", [Drifted], "look at the runs";
    /// The plan's status does not allow this.
    WRONG_STATUS = "wrong_status", [Drifted], "look at the plan";
    /// The budget of the request is spent.
    ASK_BUDGET = "ASK_BUDGET", [RolledBack], "go on with a larger one";
    /// You stopped it; nothing was stored.
    ASK_CANCELLED = "ASK_CANCELLED", [RolledBack], "ask again";
    /// The request asks for more than one thing.
    ASK_COMPOSITE = "ASK_COMPOSITE", [Denied], "ask for one at a time";
    /// What the model may see could not be looked at.
    ASK_CONTEXT = "ASK_CONTEXT", [Fault], "see whether the project can be read";
    /// The plan could not be looked at.
    ASK_FAULT = "ASK_FAULT", [Usage], "see whether the project can be read";
    /// The model's plan still has findings after three more tries.
    ASK_FINDINGS = "ASK_FINDINGS", [Denied], "say more precisely what should change";
    /// A new project of a kind that there is not.
    ASK_KIND_UNKNOWN = "ASK_KIND_UNKNOWN", [Usage], "one of those that the hint names";
    /// The model cannot tell what is meant.
    ASK_LOW_CONFIDENCE = "ASK_LOW_CONFIDENCE", [Denied], "say it in other words";
    /// Another model answered than at the beginning.
    ASK_MODEL_CHANGED = "ASK_MODEL_CHANGED", [Drifted], "ask again";
    /// A new project's name that cannot be one.
    ASK_NAME_INVALID = "ASK_NAME_INVALID", [Usage], "choose another";
    /// Something is missing that only you can say.
    ASK_NEEDS = "ASK_NEEDS", [Confirm], "answer it";
    /// Several providers are set up, and none is chosen.
    ASK_NO_CHOICE = "ASK_NO_CHOICE", [Confirm], "choose one";
    /// A budget in dollars, and no price is known.
    ASK_NO_PRICE = "ASK_NO_PRICE", [Usage], "limit the tokens, or say the price";
    /// No provider is set up.
    ASK_NO_PROVIDER = "ASK_NO_PROVIDER", [Confirm], "add one";
    /// The request is none of the types.
    ASK_OUT_OF_SCOPE = "ASK_OUT_OF_SCOPE", [Denied], "ask for one of the nearest";
    /// A new project outside this one.
    ASK_PATH_INVALID = "ASK_PATH_INVALID", [Usage], "choose a folder in it";
    /// Policy does not let providers of this class plan.
    ASK_PROVIDER_CLASS = "ASK_PROVIDER_CLASS", [Denied], "choose another";
    /// You said that the reading is wrong.
    ASK_READING_REJECTED = "ASK_READING_REJECTED", [Denied], "say it in other words";
    /// The request is empty, too long, or has characters that nobody can see.
    ASK_TEXT = "ASK_TEXT", [Usage], "say it in one sentence";
    /// There is no such type of request.
    ASK_TYPE_UNKNOWN = "ASK_TYPE_UNKNOWN", [Usage], "one of those that the hint names";
    /// No such request waits here.
    ASK_UNKNOWN = "ASK_UNKNOWN", [Usage], "ask again";
    /// No valid token came with the request.
    PLANS_AUTH_FAILED = "PLANS_AUTH_FAILED", [Denied], "add a token", 401;
    /// Files of the new project are there already.
    PLAN_CONFLICT = "PLAN_CONFLICT", [Usage], "choose another folder";
    /// Two constraints contradict each other.
    PLAN_CONSTRAINT_CONFLICT = "PLAN_CONSTRAINT_CONFLICT", [Denied], "leave one of them out";
    /// The plan of a site is too old.
    SITE_PLAN_EXPIRED = "PLAN_EXPIRED", [Drifted], "draft it again", 409;
    /// The hash of what was looked at is missing.
    PLAN_HASH_REQUIRED = "PLAN_HASH_REQUIRED", [Usage], "send `plan_hash`";
    /// The provider that plans failed.
    PLAN_LLM_FAILED = "PLAN_LLM_FAILED", [Fault], "try again", 502;
    /// The provider that plans took too long.
    PLAN_LLM_TIMEOUT = "PLAN_LLM_TIMEOUT", [Fault], "try again", 504;
    /// The site could not be asked what its user can do.
    PLAN_MANIFEST_FETCH_FAILED = "PLAN_MANIFEST_FETCH_FAILED", [Denied, Fault], "probe the site", 502;
    /// The site took too long to say what its user can do.
    PLAN_MANIFEST_TIMEOUT = "PLAN_MANIFEST_TIMEOUT", [Fault], "probe the site", 504;
    /// The plan waits for no approval.
    PLAN_NOT_APPROVABLE = "PLAN_NOT_APPROVABLE", [Drifted], "draft it again", 409;
    /// There is no such plan for a site.
    PLAN_NOT_FOUND = "PLAN_NOT_FOUND", [Usage], "the whole id", 404;
    /// The provider that plans said too much.
    PLAN_OUTPUT_CAP_EXCEEDED = "PLAN_OUTPUT_CAP_EXCEEDED", [Denied], "try again";
    /// A text that is larger than a plan may be.
    PLAN_TOO_LARGE = "PLAN_TOO_LARGE", [Denied], "split it";
    /// The inputs of a site's plan are too large.
    POLICY_INPUT_TOO_LARGE = "POLICY_INPUT_TOO_LARGE", [Usage], "send less";
    /// There is no key where it should be.
    PROVIDER_KEY_MISSING = "PROVIDER_KEY_MISSING", [Usage], "put it there";
    /// Nothing was found to offer.
    PROVIDER_NONE_FOUND = "PROVIDER_NONE_FOUND", [Usage], "name a provider";
    /// A provider cannot be set so.
    PROVIDER_SETUP = "PROVIDER_SETUP", [Usage], "what the message names";
    /// Too many requests.
    RATE_LIMITED = "RATE_LIMITED", [Usage], "wait a moment", 429;
    /// No valid token came with the request.
    RUNS_AUTH_FAILED = "RUNS_AUTH_FAILED", [Denied], "add a token", 401;
    /// Another run is on the site.
    RUN_ACTIVE_CONFLICT = "RUN_ACTIVE_CONFLICT", [Fault, Drifted], "wait for it", 409;
    /// A run on a site failed, and was put back.
    RUN_EXECUTION_FAILED = "RUN_EXECUTION_FAILED", [RolledBack], "look at its pages";
    /// The inputs of a site's plan do not fit.
    RUN_INVALID_INPUT = "RUN_INVALID_INPUT", [Usage, Denied], "one JSON object";
    /// There is no such run on a site.
    RUN_NOT_FOUND = "RUN_NOT_FOUND", [Usage], "list the runs", 404;
    /// A cap of pages was lowered since the plan was made.
    RUN_PAGE_CAP_EXCEEDED = "RUN_PAGE_CAP_EXCEEDED", [Denied], "split the work";
    /// The plan is not approved, had its run, or is denied by now.
    RUN_PLAN_NOT_APPROVED = "RUN_PLAN_NOT_APPROVED", [Drifted], "a person approves it, or draft another", 409;
    /// Not everything could be put back.
    RUN_ROLLBACK_FAILED = "RUN_ROLLBACK_FAILED", [Fault], "look at the pages", 502;
    /// There is nothing to put back.
    RUN_ROLLBACK_NOT_AVAILABLE = "RUN_ROLLBACK_NOT_AVAILABLE", [Drifted], "look at the run", 409;
    /// A cap of steps was lowered since the plan was made.
    RUN_STEP_CAP_EXCEEDED = "RUN_STEP_CAP_EXCEEDED", [Denied], "split the work";
    /// A cap of calls was lowered since the plan was made.
    RUN_TOOL_CALL_CAP_EXCEEDED = "RUN_TOOL_CALL_CAP_EXCEEDED", [Denied], "split the work";
    /// Sending is off for the autopilot.
    SEND_DISABLED = "SEND_DISABLED", [Denied], "an approver switches it on";
    /// A mail over the limit of the day.
    SEND_LIMIT = "SEND_LIMIT", [Denied], "send it tomorrow, or raise the limit";
    /// A mail in the quiet hours.
    SEND_QUIET_HOURS = "SEND_QUIET_HOURS", [Denied], "send it after them";
    /// The site refuses the user.
    SITE_AUTH = "SITE_AUTH", [Usage, Denied], "the role and the application password", 502;
    /// There is no site of that name.
    SITE_NOT_FOUND = "SITE_NOT_FOUND", [Usage], "list the sites", 404;
    /// The page is not as the plan saw it.
    SITE_PAGE_CHANGED = "SITE_PAGE_CHANGED", [Drifted, RolledBack], "read it again";
    /// The site stored something else than was approved.
    SITE_STORED_DIFFERS = "SITE_STORED_DIFFERS", [RolledBack], "what the message names";
    /// Nobody knows what became of the last run on the site.
    SITE_UNKNOWN_OUTCOME = "SITE_UNKNOWN_OUTCOME", [Fault], "look at the page, and say it", 409;
    /// The site does not answer.
    SITE_UNREACHABLE = "SITE_UNREACHABLE", [Fault], "what the hint says", 502;
    /// No valid token came with the request.
    SKILLS_AUTH_FAILED = "SKILLS_AUTH_FAILED", [Denied], "add a token", 401;
    /// The skill is not to be used any more.
    SKILL_DEPRECATED = "SKILL_DEPRECATED", [Denied], "use the one that took its place", 409;
    /// Git could not read the repository.
    SKILL_INGEST_FETCH_FAILED = "SKILL_INGEST_FETCH_FAILED", [Denied], "try the same with git", 502;
    /// There is no skill of that name.
    SKILL_NOT_FOUND = "SKILL_NOT_FOUND", [Usage], "list the skills", 404;
    /// A document is no skill.
    SKILL_SCHEMA_INVALID = "SKILL_SCHEMA_INVALID", [Denied], "fix it";
    /// Git could not read the commit.
    SKILL_SYNC_FAILED = "SKILL_SYNC_FAILED", [Denied, Fault], "try the same with git", 502;
    /// Git took too long.
    SKILL_SYNC_TIMEOUT = "SKILL_SYNC_TIMEOUT", [Denied], "try again", 504;
    /// A request of the site contract does not fit.
    VALIDATION_ERROR = "VALIDATION_ERROR", [Usage], "what the message names";
}
