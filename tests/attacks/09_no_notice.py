"""A plan of medium risk that policy alone allows is executed, and nobody is told that nobody was asked: neither by `execute`, nor
by its JSON, nor by the log, nor by `status`."""

WORD = "no person was asked"


def medium(place, folder):
    """A plan of medium risk, approved by policy."""
    names = [f"{folder}/old_report_{n}.txt" for n in range(4)]
    for name in names:
        place.write(name, "a report that nothing reads any more\n")
    steps = [
        {"type": "file_delete", "target": name, "description": f"delete {name}, which nothing reads since the reports moved"}
        for name in names
    ]
    plan = place.submit(*steps, text=f"delete the four old reports in {folder}, which nothing reads any more").json()
    if plan.get("status") != "auto_approved" or not plan.get("notice"):
        raise RuntimeError(f"not a plan of medium risk that runs unasked: {plan}")
    return plan["plan_id"]


def attack(kit):
    place = kit.place(profile="FULL-AUTO")
    done = place.must("execute", medium(place, "first"))
    if WORD not in done.out:
        kit.broken(f"`execute` says only: {done.out}")
    done = place.must("execute", medium(place, "second"), "--json")
    if WORD not in done.json().get("notice", ""):
        kit.broken("the JSON of `execute` has no notice")
    if place.must("status").out.count(WORD) != 2:
        kit.broken("`status` does not say which runs nobody was asked about")
    entries = [entry for entry in place.must("audit", "list", "--json").json()["entries"] if entry["event"] == "run_started"]
    if not all(WORD in entry.get("data", {}).get("notice", "") for entry in entries):
        kit.broken("the log does not say that nobody was asked")
