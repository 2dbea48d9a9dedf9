"""The agent leaves a journal beside the database that names a pipe. SQLite believes it, opens what it names to look for more, and every command that
follows waits for the pipe's other end."""

import os
import struct
import subprocess


def attack(kit):
    place = kit.place()
    place.write("greet.txt", "hello\n")
    place.submit({"type": "file_modify", "target": "greet.txt", "content": "good day\n"})
    pipe = place.folder / "pipe-mj0123459AB"
    os.mkfifo(pipe)
    name = str(pipe).encode()
    end = struct.pack(">I", 262145) + name + struct.pack(">II", len(name), sum(name))
    for command in (["list"], ["audit", "verify"], ["status"], ["recover"]):
        (place.project / ".exacta/state.db-journal").write_bytes(b"x" * 4096 + end + bytes.fromhex("d9d505f920a163d7"))
        try:
            place.exacta(*command, limit=60)
        except subprocess.TimeoutExpired:
            kit.broken(f"`{' '.join(command)}` waits for ever")
    if place.exacta("audit", "verify").code != 0 and place.exacta("recover").code != 0:
        kit.broken("no command gets rid of the journal")
