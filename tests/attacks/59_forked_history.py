"""Two copies of the record, each with locks of its own: a command that waits in one copy pins its history over what a person
decided in the other, and the decision is gone without a trace."""

import os
import shutil
import sqlite3
import subprocess
import time


def attack(kit):
    place = kit.place()
    place.write("greet.txt", "hello\n")
    view = place.submit({"type": "file_modify", "target": "greet.txt", "content": "good day\n"}).json()
    plan, shown = view["plan_id"], view["plan_hash"]
    real, copy = place.project / ".exacta", place.project / ".exacta-b"
    shutil.copytree(real, copy)
    later = place.plan({"type": "file_create", "target": "n.txt", "content": "x\n"})
    exchange(place, real, copy)
    database = sqlite3.connect(real / "state.db")
    database.isolation_level = None
    database.execute("begin immediate")
    waiting = place.start("submit", later, "--json", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    exchange(place, real, copy)
    place.must("reject", plan, "--hash", shown, "--approver-key", place.key, "--reason", "no")
    database.execute("rollback")
    database.close()
    waiting.wait(60)
    exchange(place, real, copy)
    shutil.rmtree(copy)
    if place.exacta("audit", "verify").code == 0:
        kit.broken("a rejection vanished from the record, and `audit verify` passes")
    if place.approve(plan, shown).code == 0:
        kit.broken("a rejected plan was approved in a copy of the record")


def exchange(place, one, other):
    away = place.project / ".away"
    os.rename(one, away)
    os.rename(other, one)
    os.rename(away, other)
