"""In DEV, the agent sets the records back, or edits a plan's row, to see what Exacta makes of it, and puts everything back. The profile
must have fallen: what ran unasked before needs a person now."""

import shutil
import sqlite3


def attack(kit):
    for command in ("execute", "approve", "recover"):
        set_back(kit, command)
    edited_row(kit)
    another_projects(kit)


def unasked(place, text):
    """A plan that DEV runs without a question."""
    if not (place.project / "greet.txt").exists():
        place.write("greet.txt", "hello\n")
    view = place.submit({"type": "file_modify", "target": "greet.txt", "content": text}).json()
    return view["plan_id"], view["plan_hash"]


def exchange(place, new):
    record = place.project / ".exacta"
    shutil.rmtree(record)
    shutil.copytree(new, record, symlinks=True)


def kept(place, name):
    shutil.copytree(place.project / ".exacta", place.folder / name, symlinks=True)
    return place.folder / name


def probe(place, command, plan, plan_hash):
    args = {
        "execute": ["execute", plan],
        "approve": ["approve", plan, "--hash", plan_hash, "--approver-key", place.key],
        "recover": ["recover"],
    }
    done = place.exacta(*args[command])
    if done.code != 60:
        raise RuntimeError(f"{command} did not notice the changed records: {done!r}")


def goes_on(kit, place, plan, how):
    if place.exacta("execute", plan).code == 0:
        kit.broken(f"{how}, Exacta noticed, and after the records were put back a plan ran unasked")


def set_back(kit, command):
    place = kit.place("DEV")
    plan, plan_hash = unasked(place, "good day\n")
    old = kept(place, "old")
    later, _ = unasked(place, "good evening\n")
    new = kept(place, "new")
    exchange(place, old)
    probe(place, command, plan, plan_hash)
    exchange(place, new)
    goes_on(kit, place, later, f"the records were set back before `{command}`")


def edited_row(kit):
    place = kit.place("DEV")
    plan, plan_hash = unasked(place, "good day\n")
    row(place, "update plan set risk_score = risk_score + 1 where id = ?", plan)
    probe(place, "execute", plan, plan_hash)
    row(place, "update plan set risk_score = risk_score - 1 where id = ?", plan)
    goes_on(kit, place, plan, "a plan's row was edited")


def another_projects(kit):
    place, other = kit.place("DEV"), kit.place("DEV")
    plan, plan_hash = unasked(place, "good day\n")
    unasked(other, "good day\n")
    own = kept(place, "own")
    exchange(place, other.project / ".exacta")
    probe(place, "execute", plan, plan_hash)
    exchange(place, own)
    goes_on(kit, place, plan, "another project's records were put in place")


def row(place, sql, plan):
    database = sqlite3.connect(place.project / ".exacta/state.db")
    database.execute(sql, [plan])
    database.commit()
    database.close()
