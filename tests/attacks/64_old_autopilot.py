"""A person takes a recipient away from an autopilot. The agent puts the old words back, as its row in the database or with the whole record, so that
whoever looks believes that nothing was taken away, or that another word was signed."""

import shutil
import sqlite3


def attack(kit):
    whole(kit)
    row(kit, "insert or replace into document(kind, id, owner, state, created_at, body) values(?, ?, ?, ?, ?, ?)")
    row(kit, None)


def begun(kit):
    """A place with an autopilot, its record before a recipient was taken away, and its row then."""
    place = kit.place()
    words = "draft a reminder to anna@a.example about the invoice"
    place.must("autopilot", "add", "chase", words, "--recipe", "Custom", "--approver-key", place.key)
    shutil.copytree(place.project / ".exacta", place.folder / "old", symlinks=True)
    database = sqlite3.connect(place.project / ".exacta/state.db")
    old = database.execute("select kind, id, owner, state, created_at, body from document").fetchall()
    database.close()
    place.must("autopilot", "disallow", "chase", "recipient", "anna@a.example")
    return place, old


def told(kit, place, how):
    for args in (["show", "chase"], ["list"]):
        done = place.exacta("autopilot", *args)
        if done.code == 0 and "changed from outside" not in done.err:
            kit.broken(f"{how}, and `autopilot {args[0]}` did not say so")


def whole(kit):
    place, _ = begun(kit)
    shutil.rmtree(place.project / ".exacta")
    shutil.copytree(place.folder / "old", place.project / ".exacta", symlinks=True)
    told(kit, place, "the record was set back")


def row(kit, sql):
    place, old = begun(kit)
    database = sqlite3.connect(place.project / ".exacta/state.db")
    if sql:
        database.executemany(sql, old)
    else:
        database.execute("update document set body = replace(body, 'anna@', 'evil@')")
    database.commit()
    database.close()
    told(kit, place, "the row was set back" if sql else "the row was forged")
