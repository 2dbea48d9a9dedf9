"""The tables of the record are made others, with the same names, that answer as the agent likes: a rejection is not stored and an older row
is sealed in its place; the row of a run is dropped, so that one approval is good for two runs. Afterwards the tables are put back."""

import sqlite3


def attack(kit):
    erase(kit)
    run_twice(kit)


def pending(place):
    place.write("greet.txt", "hello\n")
    view = place.submit({"type": "file_modify", "target": "greet.txt", "content": "good day\n"}).json()
    return view["plan_id"], view["plan_hash"]


class Tables:
    """The tables of a place's record, and what they were."""

    def __init__(self, place, names):
        self.path, self.names = place.project / ".exacta/state.db", names
        database = self.open()
        self.ours = list(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        self.columns = {name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")] for name in names}
        database.close()

    def open(self):
        database = sqlite3.connect(self.path)
        database.isolation_level = None
        database.execute("PRAGMA foreign_keys = off")
        database.execute("PRAGMA legacy_alter_table = on")
        return database

    def exchange(self, others, rows):
        """Gives each table another definition, then its rows by `rows`."""
        database = self.open()
        database.execute("BEGIN")
        for kind, name, table, _ in self.ours:
            if kind == "index" and table in self.names:
                database.execute(f"DROP INDEX IF EXISTS {name}")
        for name in self.names:
            database.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
        for statement in others:
            database.execute(statement)
        rows(database)
        for name in self.names:
            database.execute(f"DROP TABLE old_{name}")
        database.execute("PRAGMA writable_schema = on")
        database.execute("UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES plan(id)', '') WHERE type = 'table'")
        database.execute("COMMIT")
        database.close()

    def put_back(self, where="1"):
        """The tables as they were, with the rows that the others hold."""
        database = self.open()
        database.execute("BEGIN")
        for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'other%'").fetchall():
            database.execute(f"DROP INDEX {name}")
        for name in self.names:
            database.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
        for _, _, table, statement in self.ours:
            if table in self.names:
                database.execute(statement)
        for name, columns in self.columns.items():
            chosen = where if name == "plan" else "1"
            columns = ", ".join(columns)
            database.execute(f"INSERT INTO {name}({columns}) SELECT {columns} FROM old_{name} WHERE {chosen}")
            database.execute(f"DROP TABLE old_{name}")
        database.execute("PRAGMA writable_schema = on")
        for _, name, _, statement in self.ours:
            database.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (statement, name))
        database.execute("COMMIT")
        database.close()


def erase(kit):
    """Two rows of one id: the decision is written into one, and the other is read and sealed."""
    place = kit.place()
    plan, plan_hash = pending(place)
    tables = Tables(place, ["plan", "approval"])
    columns = ", ".join(tables.columns["plan"])

    def rows(database):
        for _ in range(2):
            database.execute(f"INSERT INTO plan({columns}) SELECT {columns} FROM old_plan")
        database.execute("UPDATE plan SET status_at = status_at + 1 WHERE rowid = 2")
        rest = [column for column in tables.columns["plan"] if column not in ("id", "status_at")]
        database.execute(f"CREATE INDEX other1 ON plan(id, status_at, {', '.join(rest)})")
        (first,) = database.execute("SELECT status_at FROM plan WHERE rowid = 1").fetchone()
        database.execute(f"CREATE INDEX other2 ON plan(id, status) WHERE status_at <= {first}")
        database.execute("PRAGMA writable_schema = on")
        database.execute("UPDATE sqlite_schema SET sql = 'CREATE INDEX other2 ON plan(id, status)' WHERE name = 'other2'")

    drops = "z INTEGER NOT NULL ON CONFLICT IGNORE"
    others = [f"CREATE TABLE plan({columns})", f"CREATE TABLE approval(plan_id TEXT, n INTEGER, signed TEXT, {drops})"]
    tables.exchange(others, rows)
    rejected = place.exacta("reject", plan, "--hash", plan_hash, "--approver-key", place.key, "--reason", "no")
    tables.put_back("rowid = 2")
    stands = place.exacta("show", plan, "--json").json().get("status")
    if rejected.code == 0 and stands == "pending":
        kit.broken("a rejection that was reported as made is in no record, and the plan is pending")


def run_twice(kit):
    """A table that takes no row: the run leaves none, and the plan can be run again."""
    place = kit.place()
    plan, plan_hash = pending(place)
    place.approve(plan, plan_hash)
    tables = Tables(place, ["plan", "run"])
    plans, runs = (", ".join(tables.columns[name]) for name in ("plan", "run"))
    drops = "NOT NULL ON CONFLICT IGNORE"
    others = [
        f"CREATE TABLE plan({plans}, g INTEGER GENERATED ALWAYS AS (nullif(usable, 0)) VIRTUAL {drops})",
        f"CREATE TABLE run({runs}, z INTEGER {drops})",
    ]
    tables.exchange(others, lambda database: database.execute(f"INSERT INTO plan({plans}) SELECT {plans} FROM old_plan"))
    first = place.exacta("execute", plan)
    ran = place.read("greet.txt") == b"good day\n"
    tables.put_back()
    place.exacta("recover")
    place.write("greet.txt", "hello\n")
    second = place.exacta("execute", plan)
    if ran and second.code == 0 and place.read("greet.txt") == b"good day\n":
        kit.broken(f"one approval was good for two runs (exit {first.code} and {second.code})")
