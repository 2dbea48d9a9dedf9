"""What no search looked at: the heads of a diff, names in another spelling, and the records that were put aside."""

import sqlite3

TOKEN = "gh" + "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"
POLICY = 'version = "1"\nceiling = "FULL-AUTO"\n[[constraints]]\nid = "u"\ntype = "MUST_NOT"\nscope = "global"\ndescription = "use `eval`"\n'


def heads(kit):
    for step in (
        {"type": "file_create", "target": "n.txt", "diff": f"--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@ {TOKEN}\n+hello there\n"},
        {"type": "file_modify", "target": "e.txt", "diff": f"--- a/e.txt\n+++ b/e.txt\t{TOKEN}\n@@ -1 +1 @@\n-hello\n+good day\n"},
        {"type": "file_delete", "target": "e.txt", "diff": f"--- a/e.txt\n+++ /dev/null\t{TOKEN}\n@@ -1 +0,0 @@\n-hello\n"},
    ):
        place = kit.place("DEV")
        place.write("e.txt", "hello\n")
        place.submit({**step, "description": "say good day"}, text="say good day in e.txt n.txt")
        rows = sqlite3.connect(place.project / ".exacta/state.db").execute("select * from body").fetchall()
        values = (value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row)
        if any(TOKEN.encode() in value for value in values):
            kit.broken(f"a secret in the head of a diff is kept ({step['type']})")


def spellings(kit):
    place = kit.place("FULL-AUTO")
    place.policy(POLICY)
    place.write("src/a.py", "def f(x):\n    return int(x)\n")
    for name in ("eval", "\U0001d41e\U0001d42f\U0001d41a\U0001d425", "\uff45\uff56\uff41\uff4c", "ev\\u0061l", "ev\\\nal"):
        step = {"type": "file_modify", "target": "src/a.py", "content": f"def f(x):\n    return {name}(x)\n", "description": "read x as an expression"}
        done = place.submit(step, text="read the value of x as an expression in src/a.py")
        if done.code == 0:
            kit.broken(f"`eval`, which must not be used, is approved as {ascii(name)}")


def aside(kit):
    place = kit.place("DEV")
    step = {"type": "file_create", "target": ".exacta.aside-1/config.toml", "content": "x = 1\n", "description": "add the settings"}
    if place.submit(step, text="add the settings").code == 0:
        kit.broken("a plan writes into the records that were put aside")


def attack(kit):
    heads(kit)
    spellings(kit)
    aside(kit)
