//! The database's format. Each step takes it from one version to the next; steps are only ever added.

use super::db::Db;
use super::log;
use crate::error::RecordError;
use exacta_kernel::audit::Origin;
use rusqlite::{Connection, Row, TransactionBehavior};
use std::path::Path;
use std::sync::OnceLock;

/// "Exct": marks a database as ours.
const APPLICATION_ID: i64 = 0x4578_6374;

/// The oldest format that is read. Format 1 had no tree of records, so nothing vouched for them one by one; format 2 could not find a
/// plan by its random bits, held how a plan stood twice, and of a request for changes only its words.
const FIRST: i64 = 3;

/// The newest format.
const NEWEST: i64 = FIRST + STEPS.len() as i64 - 1;

/// From nothing to [`FIRST`], and from each format to the next.
const STEPS: [&str; 2] = ["
CREATE TABLE log(
    id INTEGER PRIMARY KEY CHECK (id = 1),
    origin TEXT NOT NULL,
    size INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    roots BLOB NOT NULL,
    old_size INTEGER NOT NULL,
    old_roots BLOB NOT NULL,
    note TEXT NOT NULL
) STRICT;
CREATE TABLE state(
    path TEXT PRIMARY KEY,
    node BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE entry(
    seq INTEGER PRIMARY KEY,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    leaf BLOB NOT NULL,
    correlation_id TEXT
) STRICT;
CREATE INDEX entry_of_operation ON entry(correlation_id, seq) WHERE correlation_id IS NOT NULL;
CREATE TABLE outbox(
    seq INTEGER PRIMARY KEY,
    start INTEGER NOT NULL,
    line BLOB NOT NULL
) STRICT;
CREATE TABLE plan(
    id TEXT PRIMARY KEY,
    correlation_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    status_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    session TEXT NOT NULL,
    plan_hash TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    derived_from TEXT REFERENCES plan(id),
    revises TEXT REFERENCES plan(id),
    summary TEXT NOT NULL,
    risk_score INTEGER,
    quality_score INTEGER,
    decided_by TEXT,
    usable INTEGER NOT NULL,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX plan_by_random_end ON plan(substr(id, 16));
CREATE INDEX plan_by_time ON plan(created_at);
CREATE INDEX plan_by_status ON plan(status, created_at);
CREATE INDEX plan_of_operation ON plan(correlation_id, created_at);
CREATE INDEX plan_due ON plan(expires_at) WHERE usable = 1;
CREATE INDEX plan_of_session ON plan(session) WHERE usable = 1;
CREATE TABLE body(
    plan_id TEXT PRIMARY KEY REFERENCES plan(id),
    identity TEXT NOT NULL,
    view TEXT NOT NULL,
    proposal BLOB
) STRICT;
CREATE TABLE approval(
    plan_id TEXT NOT NULL REFERENCES plan(id),
    n INTEGER NOT NULL,
    signed TEXT NOT NULL,
    PRIMARY KEY (plan_id, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE feedback(
    plan_id TEXT NOT NULL REFERENCES plan(id),
    n INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (plan_id, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE run(
    id TEXT PRIMARY KEY,
    plan_id TEXT NOT NULL REFERENCES plan(id),
    undoes TEXT REFERENCES run(id),
    state TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    pid INTEGER NOT NULL,
    boot TEXT NOT NULL,
    changes TEXT NOT NULL,
    receipts TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX run_once ON run(plan_id) WHERE undoes IS NULL;
CREATE UNIQUE INDEX undo_once ON run(undoes) WHERE undoes IS NOT NULL AND state IN ('running', 'completed', 'needs_attention');
CREATE INDEX run_of_plan ON run(plan_id, started_at);
CREATE INDEX run_by_state ON run(state, started_at);
CREATE INDEX run_by_time ON run(started_at);
", "
CREATE TABLE document(
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_by_time ON document(kind, created_at);
CREATE INDEX document_of_owner ON document(kind, owner, created_at);
"];

/// Brings the database to the newest format, with an empty log of this name if it is new; or refuses it.
pub fn migrate(connection: &mut Connection, path: &Path, origin: &Origin) -> Result<(), RecordError> {
    if is_current(connection, path)? {
        return Ok(());
    }
    let failed = || RecordError::database(path);
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    // Somebody else may have been first.
    let from: i64 = tx.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed())?;
    let done = usize::try_from(from + 1 - FIRST).unwrap_or_default();
    for step in STEPS.iter().skip(done) {
        tx.execute_batch(step).map_err(failed())?;
    }
    log::begin(&Db { connection: &tx, path }, origin.as_str())?;
    tx.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed())?;
    tx.pragma_update(None, "user_version", NEWEST).map_err(failed())?;
    tx.commit().map_err(failed())
}

/// Whether the database is ours and of the newest format; an error if it is not ours, or is newer or too old.
pub fn is_current(connection: &Connection, path: &Path) -> Result<bool, RecordError> {
    // All of one moment: somebody may be making it right now.
    let moment = connection.unchecked_transaction().map_err(RecordError::database(path))?;
    let number = |query: &str| -> Result<i64, RecordError> {
        moment.query_row(query, [], |row| row.get(0)).map_err(RecordError::database(path))
    };
    let (ours, found, known) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?, NEWEST);
    if ours == 0 && found == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0 {
        return Ok(false);
    }
    if ours != APPLICATION_ID {
        return Err(RecordError::Corrupt { path: path.to_owned(), what: "it is not a database of exacta".to_owned() });
    }
    if found > known {
        return Err(RecordError::Newer { path: path.to_owned(), found, known });
    }
    if found < FIRST {
        return Err(RecordError::Older { path: path.to_owned(), found, known: FIRST });
    }
    if found == known {
        check(&Db { connection: &moment, path })?;
    }
    Ok(found == known)
}

/// Makes a commit of nothing new. A row that is written as it was would not do: SQLite sees that, and leaves the commit out.
pub fn commit_nothing(db: &Db<'_>) -> Result<(), RecordError> {
    db.connection.pragma_update(None, "user_version", NEWEST).map_err(RecordError::database(db.path))
}

/// What a database says of one of its tables or indexes: kind, name, table, and the text that made it.
type Thing = (String, String, String, Option<String>);

const THINGS: &str = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name, rowid";

/// That tables and indexes are those that [`STEPS`] make, and nothing beside them: in others a row could be refused, doubled or made up
/// without a word. To be asked inside the transaction that goes by them.
pub fn check(db: &Db<'_>) -> Result<(), RecordError> {
    // What SQLite knows of them may be from before the transaction, when somebody had others there.
    db.connection.pragma_update(None, "writable_schema", "RESET").map_err(RecordError::database(db.path))?;
    let thing = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let found: Vec<Thing> = db.all(THINGS, [], thing)?;
    static MADE: OnceLock<Vec<Thing>> = OnceLock::new();
    let made = match MADE.get() {
        Some(made) => made,
        None => {
            let connection = Connection::open_in_memory().map_err(RecordError::database(db.path))?;
            connection.execute_batch(&STEPS.concat()).map_err(RecordError::database(db.path))?;
            let made = Db { connection: &connection, path: db.path }.all(THINGS, [], thing)?;
            MADE.get_or_init(|| made)
        }
    };
    if found == *made {
        return Ok(());
    }
    Err(db.tampered("its tables are not those that exacta made"))
}
