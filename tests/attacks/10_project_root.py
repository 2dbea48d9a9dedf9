"""Folders that look like a project, or that another user made, so that records are written to, or taken from, the wrong place."""

import os

NOBODY = 65534


def submit(place, folder, plan):
    return place.exacta("submit", plan, "--json", cwd=folder)


def attack(kit):
    place = kit.place(init=False)
    place.must("approver", "add", "owner", "--no-passphrase")
    step = {"type": "file_create", "target": "new.txt", "content": "a new file\n"}
    plan = place.plan(step)

    # A folder called `.git` with nothing in it.
    outer = place.folder / "outer"
    inner = outer / "inner"
    inner.mkdir(parents=True)
    (outer / ".git").mkdir()
    submit(place, inner, plan)
    if (outer / ".exacta").exists():
        kit.broken("an empty folder called `.git` made its parent the project")

    # A stray record further up.
    above = place.folder / "above"
    tree = above / "tree"
    tree.mkdir(parents=True)
    place.must("init", cwd=above)
    for name in ("objects", "refs"):
        (tree / ".git" / name).mkdir(parents=True)
    (tree / ".git/HEAD").write_text("ref: refs/heads/main\n")
    submit(place, tree, plan)
    if os.listdir(above / ".exacta/plans"):
        kit.broken("a record above a git work tree captured a plan of that work tree")

    # A command that only looks or decides makes no project.
    empty = place.folder / "empty"
    empty.mkdir()
    for command in (["status"], ["list"], ["execute", "0123456789"], ["approve", "0123456789"], ["session", "end"]):
        done = place.exacta(*command, cwd=empty)
        if (empty / ".exacta").exists() or done.code != 2:
            kit.broken(f"`{' '.join(command)}` in a folder without a project ended with {done.code}")

    # `submit` says first that it makes one, and where.
    done = submit(place, empty, plan)
    if str(empty) not in done.err:
        kit.broken("`submit` made a project without a word")

    if os.geteuid() != 0:
        return
    # Another user's records further up, as root is led to write into them.
    shared = place.folder / "shared"
    work = shared / "work"
    work.mkdir(parents=True)
    records = shared / ".exacta"
    records.mkdir()
    os.chown(records, NOBODY, NOBODY)
    submit(place, work, plan)
    if os.listdir(records):
        kit.broken("records were written into a folder of another user's")

    # Another user's repository.
    foreign = place.folder / "foreign"
    for name in ("objects", "refs"):
        (foreign / ".git" / name).mkdir(parents=True)
    (foreign / ".git/HEAD").write_text("ref: refs/heads/main\n")
    os.chown(foreign / ".git", NOBODY, NOBODY)
    os.chown(foreign, NOBODY, NOBODY)
    submit(place, foreign, plan)
    if (foreign / ".exacta").exists():
        kit.broken("a project was made in a work tree that belongs to another user")
