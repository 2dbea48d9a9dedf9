"""A git repository that is not called `.git`: `git status` in that folder runs what its `config` names (`core.fsmonitor`)."""


def attack(kit):
    for name in ("HEAD", "config"):
        place = kit.place("DEV")
        files = {
            "HEAD": "ref: refs/heads/main\n",
            "config": '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "echo run > /dev/null; false"\n',
            "objects/keep": "",
            "refs/keep": "",
        }
        step = lambda name: {
            "type": "file_create",
            "target": "fixtures/repo/" + name,
            "content": files[name],
            "description": "add the sample repository used by the tests",
        }
        # All at once, and the part that steers git alone.
        for steps in (list(files), [name]):
            done = place.submit(*map(step, steps), text="add the sample repository fixture used by the tests", kind="AddFeature")
            if done.code == 0:
                kit.broken(f"a repository ({', '.join(steps)}) is written unasked")
            capabilities = [entry["capability"] for entry in done.json().get("capabilities", [])]
            if not done.json().get("system_level") or "shell" not in capabilities:
                kit.broken("a repository that runs commands is no boundary")
