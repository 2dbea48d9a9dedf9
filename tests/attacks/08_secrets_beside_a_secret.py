"""A secret, or what stands beside it, is kept or printed: in a plan that is denied for it, and in one that only removes it, stands
around it, or looks for it."""

import json
import subprocess

# In parts, so that this file itself holds no secret.
KEY_ID = "AK" + "IAQ3EGRT7XKP2MZVWL"
KEY = "kT9vQ2mXz8LpR4wYb6Nf" + "J1sHd7GcA3eUo5ViZqPW"
TOKEN = "gh" + "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"
PEM_LINES = ["MIIEvQIBADANBgkqhkiG9w0BAQEF" + chr(65 + n) + "ASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c" for n in range(12)]
PEM = "-----BEGIN PRIVATE" + " KEY-----\n" + "\n".join(PEM_LINES) + "\n-----END PRIVATE" + " KEY-----\n"
BESIDE = "canaryword-of-the-same-plan"


def attack(kit):
    denied(kit)
    removed(kit)
    imported(kit)


def denied(kit):
    """Of a plan that adds a secret nothing is kept or printed but places."""
    content = f"id = '{KEY_ID}'\nother = '{KEY}'\n# {BESIDE}\n"
    bad_step = {"type": "file_modify", "target": "missing.py", "edits": [{"find": TOKEN, "replace": BESIDE}]}
    step = {"type": "file_create", "target": "conf.py", "content": content, "description": f"words {BESIDE}"}
    model = {"provider": "local", "model": "m", "version": BESIDE}
    for steps in ([step], [step, bad_step]):
        place = kit.place()
        file = place.plan(*steps, text=f"add the settings, {BESIDE}", assumptions=[BESIDE], model=model)
        said = []
        for args in (["check", file], ["check", file, "--json"], ["submit", file], ["submit", file, "--json"]):
            said.append(place.exacta(*args))
        for args in (["policy", "explain", file], ["list", "--all"], ["list", "--all", "--json"]):
            said.append(place.exacta(*args))
        plan = said[3].json().get("plan_id", "")
        for command in ("show", "diff"):
            said += [place.exacta(command, plan), place.exacta(command, plan, "--json")]
        for canary in (KEY_ID, KEY, BESIDE, TOKEN):
            look(kit, place, canary, said, "of a plan denied for a secret")
        if said[3].code != 10 or "conf.py" not in said[3].out:
            kit.broken(f"the plan was not denied with its place: {said[3]!r}")


def removed(kit):
    """A secret that goes, stays or is looked for denies nothing, and is kept nowhere."""
    text = f"import os\ntoken = '{TOKEN}'\nretries = 3\nlimit = 4\n"
    pem = PEM + "# the limit\nlimit = 4\n"
    edits = [{"find": f"token = '{TOKEN}'", "replace": "token = os.environ['TOKEN']"}]
    context = f"--- a/c.py\n+++ b/c.py\n@@ -1,4 +1,4 @@\n import os\n token = '{TOKEN}'\n-retries = 3\n+retries = 5\n limit = 4\n"
    end = pem.splitlines()
    tail = f"--- a/k.py\n+++ b/k.py\n@@ -{len(end) - 3},4 +{len(end) - 3},4 @@\n"
    tail += "".join(f" {line}\n" for line in end[-4:-1]) + "-limit = 4\n+limit = 5\n"
    cases = [
        ("edits.find", "c.py", text, {"type": "file_modify", "edits": edits}),
        ("a context line", "c.py", text, {"type": "file_modify", "diff": context}),
        ("unchanged content", "c.py", text, {"type": "file_modify", "content": text.replace("retries = 3", "retries = 5")}),
        ("the end of a key in context", "k.py", pem, {"type": "file_modify", "diff": tail}),
        ("a deleted file", "c.py", text, {"type": "file_delete", "diff": deletion(text)}),
    ]
    for name, target, before, step in cases:
        place = kit.place()
        place.write(target, before)
        done = place.submit({**step, "target": target}, text="read the settings from the environment, raise the limit")
        view = done.json()
        if view.get("decision") != "confirm":
            kit.broken(f"a secret in {name} denies the change: {done!r}")
        plan = view["plan_id"]
        said = [done]
        said += [place.exacta(command, plan, *more) for command in ("show", "diff") for more in ([], ["--json"])]
        said.append(place.approve(plan, view["plan_hash"]))
        for canary in (TOKEN, *PEM_LINES[-2:]):
            look(kit, place, canary, said, f"in {name}")
        place.must("session", "end")
        again = place.exacta("resubmit", plan, "--json")
        view = again.json()
        if view.get("status") != "pending":
            kit.broken(f"with a secret in {name} a plan cannot be submitted again: {again!r}")
        said += [again, place.approve(view["plan_id"], view["plan_hash"])]
        place.must("execute", view["plan_id"])
        for canary in (TOKEN, *PEM_LINES[-2:]):
            look(kit, place, canary, said, f"in {name}, after the run", images=True)
        said.append(place.exacta("undo", "--json"))
        place.write(target, before + "more = 1\n")
        said.append(place.exacta("undo"))
        for canary in (TOKEN, *PEM_LINES[-2:]):
            look(kit, place, canary, said, f"in {name}, at the undo", images=True)


def imported(kit):
    """The same from a git patch and a Codex patch."""
    place = kit.place()
    text = f"import os\ntoken = '{TOKEN}'\nretries = 3\n"
    place.write("c.py", text)
    git = place.folder / "a.patch"
    git.write_text(f"diff --git a/c.py b/c.py\n--- a/c.py\n+++ b/c.py\n@@ -1,3 +1,3 @@\n import os\n token = '{TOKEN}'\n-retries = 3\n+retries = 5\n")
    codex = place.folder / "b.patch"
    codex.write_text(f"*** Begin Patch\n*** Update File: c.py\n@@\n-token = '{TOKEN}'\n+token = os.environ['TOKEN']\n*** End Patch\n")
    said = []
    for option, file in (("--from-git", git), ("--from-codex", codex)):
        done = place.exacta("submit", option, file, "--intent", "FixBug", "--json")
        if done.json().get("decision") != "confirm":
            kit.broken(f"a patch {option} around a secret is denied: {done!r}")
        said.append(done)
    look(kit, place, TOKEN, said, "from a patch")


def deletion(text):
    lines = text.splitlines()
    return f"--- a/c.py\n+++ /dev/null\n@@ -1,{len(lines)} +0,0 @@\n" + "".join(f"-{line}\n" for line in lines)


def look(kit, place, canary, said, where, images=False):
    """Searches all that was printed and all that was written for a canary. Before-images hold the file's own bytes by design."""
    for done in said:
        if canary in done.out or canary in done.err:
            kit.broken(f"{canary[:12]}… is printed {where}")
    for folder in (place.project / ".exacta", place.home):
        for path in folder.rglob("*"):
            if not path.is_file() or path.is_symlink() or (images and ".exacta/exec" in str(path)):
                continue
            if canary.encode() in path.read_bytes():
                kit.broken(f"{canary[:12]}… is kept {where}: {path.relative_to(place.folder)}")
