//! A project to remember things about: a temporary folder, a key, a pin, and plans made up from a number.

use ed25519_dalek::Signer as _;
use exacta_kernel::approval::{ApproverName, PublicKey, Signature, SignedStatement, Statement, Verb};
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::audit::{Actor, EntryDraft, Event, SignedCheckpoint};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, ProjectId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use exacta_record::{
    ChangesRequested, CheckpointSigner, Hold, NewPlan, Pin, Record, RecordError, Report, RunRecord, RunRequest,
    RunState, SignerError, Staged, Trusted, VerifyError,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub struct Project {
    pub dir: tempfile::TempDir,
}

/// A key made from nothing, and a pin in a file outside the project.
pub struct FileSigner(pub PathBuf);

impl FileSigner {
    fn key() -> ed25519_dalek::SigningKey {
        ed25519_dalek::SigningKey::from_bytes(&[7; 32])
    }
}

impl CheckpointSigner for FileSigner {
    fn public_key(&self) -> PublicKey {
        PublicKey::from_bytes(Self::key().verifying_key().to_bytes()).unwrap()
    }

    fn sign(&self, bytes: &[u8]) -> Result<Signature, SignerError> {
        Ok(Signature::from_bytes(Self::key().sign(bytes).to_bytes()))
    }

    fn hold(&self) -> Result<Hold, SignerError> {
        let file = std::fs::File::create(self.0.with_extension("lock")).unwrap();
        file.lock().unwrap();
        Ok(Box::new(file))
    }

    fn pinned(&self) -> Result<Option<Pin>, SignerError> {
        let Ok(text) = std::fs::read_to_string(&self.0) else { return Ok(None) };
        let (size, root) = text.split_once(' ').unwrap();
        Ok(Some(Pin { size: size.parse().unwrap(), root: Digest::parse(root).unwrap() }))
    }

    fn stage(&self, signed: &SignedCheckpoint, _: bool) -> Result<Staged, SignerError> {
        let (size, root) = (signed.size(), signed.root());
        assert!(self.pinned()?.is_none_or(|pin| pin.size < size || (pin.size, pin.root) == (size, root)));
        let temporary = self.0.with_extension("tmp");
        std::fs::write(&temporary, format!("{size} {root}")).unwrap();
        let path = self.0.clone();
        Ok(Box::new(move || {
            std::fs::rename(temporary, path).unwrap();
            Ok(())
        }))
    }
}

impl Project {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn exacta(&self) -> PathBuf {
        self.dir.path().join(".exacta")
    }

    pub fn id() -> ProjectId {
        ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap()
    }

    pub fn signer(&self) -> FileSigner {
        FileSigner(self.dir.path().join("pin"))
    }

    pub fn open_at(dir: &Path) -> Result<Record, RecordError> {
        Record::open(&dir.join(".exacta"), &Self::id(), Box::new(FileSigner(dir.join("pin"))))
    }

    pub fn try_open(&self) -> Result<Record, RecordError> {
        Self::open_at(self.dir.path())
    }

    pub fn verify(&self) -> Result<Report, VerifyError> {
        let signer = self.signer();
        let trusted = Trusted { project: Self::id(), key: Some(signer.public_key()), pin: signer.pinned().unwrap() };
        exacta_record::verify(&self.exacta(), &trusted)
    }

    pub fn open(&self) -> Record {
        self.try_open().unwrap()
    }

    pub fn read(&self) -> Record {
        Record::read(&self.exacta(), &Self::id(), Box::new(self.signer())).unwrap()
    }

    /// One of the files for people, read as JSON.
    pub fn json(&self, file: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.exacta().join(file)).unwrap()).unwrap()
    }
}

pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_794_000_000_000 + seconds * 1000)
}

fn uuid(kind: char, n: u64) -> String {
    format!("019a2f3e-7c1d-7e2a-9b4f-{kind}{n:011x}")
}

pub fn plan_id(n: u64) -> PlanId {
    PlanId::parse(&uuid('a', n)).unwrap()
}

pub fn correlation(n: u64) -> CorrelationId {
    CorrelationId::parse(&uuid('c', n)).unwrap()
}

pub fn session(n: u64) -> SessionId {
    SessionId::parse(&uuid('e', n)).unwrap()
}

pub fn run_id(n: u64) -> RunId {
    RunId::parse(&uuid('b', n)).unwrap()
}

pub fn new_plan(n: u64) -> NewPlan {
    NewPlan {
        id: plan_id(n),
        correlation_id: correlation(n),
        version: 1,
        status: Status::Pending,
        created_at: at(n as i64),
        expires_at: at(n as i64 + 1800),
        session: session(1),
        plan_hash: Digest::of(format!("plan {n}").as_bytes()),
        content_hash: Digest::of(format!("content {n}").as_bytes()),
        identity: json!({ "plan_id": plan_id(n) }),
        proposal: Some(b"{}".to_vec()),
        view: json!({ "schema": "exacta.plan-view/1", "gates": [{ "gate": "risk", "verdict": "confirm" }] }),
        summary: json!({ "intent": "FixBug" }),
        derived_from: None,
        revises: None,
    }
}

pub fn draft(event: Event, n: u64) -> EntryDraft {
    EntryDraft::new(event, Actor::System, "because").about(&correlation(n), &plan_id(n))
}

/// What a submitted plan is recorded with.
pub fn created(n: u64) -> Vec<EntryDraft> {
    let mut evaluated = draft(Event::PlanEvaluated, n);
    evaluated.risk_score = Some(40);
    evaluated.quality_score = Some(BasisPoints(7_499));
    evaluated.decision = Some("confirm".to_owned());
    vec![draft(Event::PlanCreated, n), evaluated]
}

pub fn signed(n: u64) -> SignedStatement {
    let name = ApproverName::parse("tester").unwrap();
    let plan = new_plan(n);
    let statement =
        Statement::new(Verb::Approve, Project::id(), plan.id, plan.plan_hash, name, plan.created_at, plan.expires_at);
    let signature = FileSigner::key().sign(&statement.signing_bytes().unwrap());
    statement.with_signature(Signature::from_bytes(signature.to_bytes()))
}

pub fn asked(text: &str) -> ChangesRequested {
    ChangesRequested { by: "tester".to_owned(), at: at(2), text: text.to_owned(), places: Vec::new() }
}

pub fn new_run(n: u64, plan: u64, undoes: Option<u64>) -> RunRecord {
    RunRecord {
        id: run_id(n),
        plan_id: plan_id(plan),
        undoes: undoes.map(run_id),
        state: RunState::Running,
        started_at: at(0),
        ended_at: None,
        pid: 1,
        boot: "boot".to_owned(),
        changes: json!({ "src/a.rs": { "before": "absent" } }),
        receipts: json!([]),
    }
}

/// A run that may start from these statuses, with at most so many going on.
pub const fn request<'a>(run: &'a RunRecord, from: &'a [Status], max_running: u32) -> RunRequest<'a> {
    RunRequest { run, from, max_running, before: None }
}
