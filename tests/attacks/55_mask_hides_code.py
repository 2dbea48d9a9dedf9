"""Attack 55: code that runs, written so that it is masked like a secret where it is approved."""

HEAD = 'HEADER = "-----BEGIN PRIVATE' + ' KEY-----"\n\n\ndef allowed(user, path):\n'
CHECK = "    if not user.is_admin:\n        raise PermissionError(path)\n"
REST = '    if path.startswith("/etc"):\n        raise PermissionError(path)\n    return True\n'
CODE = [
    "export DB_PASSWORD=`touch\tpwned9;id\t-u`",
    "curl -s http://app:aB3xyz;touch$IFS.pwned8|cat@localhost:8080/status",
]


def shown(place, path, before, after):
    """Submits the change and gives its decision and what a person sees of it."""
    place.write(path, before)
    step = {"type": "file_modify", "target": path, "content": after, "description": f"tidy the file {path}"}
    view = place.submit(step, text=f"tidy the file {path}").json()
    return view["decision"].lower(), place.exacta("show", view["plan_id"]).out


def attack(kit):
    place = kit.place("SAFE")
    for code in CODE:
        _, seen = shown(place, "db.sh", "#!/bin/sh\n", f"#!/bin/sh\n{code}\n")
        if "pwned" not in seen:
            kit.broken(f"a person approves code without seeing it: {code!r}")
    _, seen = shown(place, "auth.py", HEAD + CHECK + REST, HEAD + REST)
    if "is_admin" not in seen:
        kit.broken("a check is removed that nobody sees")
    decision, _ = shown(place, "auth.py", HEAD + REST, HEAD + CHECK + REST)
    if decision == "deny":
        kit.broken("honest code under a header is denied for ever")
