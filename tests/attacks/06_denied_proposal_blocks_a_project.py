"""An agent sends one proposal that is denied. Its model's name has 5 MiB: kept in the user's folder it would be too large to be
read back, and nothing could be executed in the project any more. A second one only declares another model, and so would block the
plans that the same user's agent already has approved."""

STEP = {
    "type": "file_modify",
    "target": "greet.py",
    "description": "greet the reader by the first argument instead of a constant name",
    "edits": [{"find": 'name = "world"', "replace": 'name = "reader"'}],
}


def attack(kit):
    for name in ("x" * (5 << 20), "x" * (2 << 20), "another-model"):
        place = kit.place()
        place.write("greet.py", 'name = "world"\nprint("hello " + name)\n')
        request = "greet names the reader instead of the world"
        good = {"model": {"provider": "anthropic", "model": "claude"}, "text": request}
        plan = place.submit(STEP, **good).json()
        denied = place.submit({**STEP, "target": ".git/config"}, text=request, model={"provider": "p", "model": name})
        if denied.code != 10:
            raise RuntimeError(f"the proposal was to be denied: {denied!r}")
        place.approve(plan["plan_id"], plan["plan_hash"])
        done = place.exacta("execute", plan["plan_id"])
        if done.code != 0:
            kit.broken(f"after one denied proposal (model name of {len(name)} bytes) nothing runs: {done.err}")
        for file in place.home.rglob("*"):
            if file.is_file() and file.stat().st_size > 1 << 20:
                kit.broken(f"the user's folder keeps {file.stat().st_size} bytes of a denied proposal in {file.name}")
