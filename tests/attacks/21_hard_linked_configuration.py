"""`config.toml` is a second name of a file of the operator's: an error about what is in it would tell what that is."""

import os

WORD = "word_of_the_operator"


def attack(kit):
    place = kit.place()
    private = place.folder / "private.toml"
    private.write_text(f"{WORD} = 1\n")
    os.link(private, place.project / ".exacta/config.toml")
    plan = place.plan({"type": "file_create", "target": "new.txt", "content": "a new file\n"})
    for command in (["status"], ["check", plan], ["submit", plan], ["policy", "check"], ["doctor"]):
        done = place.exacta(*command)
        if WORD in done.out + done.err:
            kit.broken(f"`{command[0]}` quoted a file that lies outside the project")
