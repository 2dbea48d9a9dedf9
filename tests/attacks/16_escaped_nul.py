"""An escaped NUL ends a text for some readers and not for others: what is shown is then not what is used."""


def attack(kit):
    place = kit.place()
    place.write("a.txt", "one\n")
    for where in ("description", "target", "text", "content"):
        step = {"type": "file_modify", "target": "a.txt", "content": "two\n"}
        request = "replace the first line, as asked"
        if where == "text":
            request += "\0 and more"
        else:
            step[where] = step.get(where, "replace the line") + "\0"
        done = place.submit(step, text=request)
        if done.code != 10 or "PLAN_SCHEMA_INVALID" not in done.out:
            kit.broken(f"a proposal with an escaped NUL in `{where}` was read (exit {done.code})")
