"""The record refuses the entry of a change of settings after the setting was written: policy, profile and approvers are changed, the command
says that it failed, and the log knows nothing of it."""

import sqlite3


def attack(kit):
    place = kit.place()
    before = settings(place)
    refuse(place, True)
    policy = place.folder / "policy.toml"
    policy.write_text('version = "1"\nceiling = "FULL-AUTO"\n')
    for command in (["policy", "set", policy], ["profile", "set", "DEV"], ["approver", "add", "second", "--no-passphrase"]):
        done = place.exacta(*command, "--approver-key", place.key)
        if done.code == 0:
            raise RuntimeError(f"the record did not refuse the entry: {done!r}")
    refuse(place, False)
    changed = [name for name, value in settings(place).items() if value != before[name]]
    if changed:
        kit.broken(f"changed without an entry, and reported as failed: {', '.join(changed)}")


def settings(place):
    """What is in force."""
    return {
        "policy": place.must("policy", "show", "--json").json()["sha256"],
        "profile": place.must("profile", "current", "--json").json()["chosen"],
        "approvers": place.must("approver", "list", "--json").out,
    }


def refuse(place, on):
    """Makes the index of the log take no more entries, or takes that back."""
    database = sqlite3.connect(place.project / ".exacta/state.db")
    database.isolation_level = None
    (entries,) = database.execute("SELECT count(*) FROM entry").fetchone()
    words = ["leaf BLOB NOT NULL,", f"leaf BLOB NOT NULL CHECK (seq < {entries}),"]
    old, new = words if on else reversed(words)
    (version,) = database.execute("PRAGMA schema_version").fetchone()
    database.execute("PRAGMA writable_schema = on")
    database.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'entry'", (old, new))
    database.execute(f"PRAGMA schema_version = {version + 1}")
    database.close()
