"""A deletion is asked about; leaving nothing of the file is the same loss by another name."""


def attack(kit):
    place = kit.place("DEV")
    lines = "".join(f"setting_{n} = {n}\n" for n in range(40))
    for name, after in (("empty.txt", ""), ("blank.txt", "\n \n"), ("almost.txt", "x\n")):
        place.write(name, lines)
        done = place.submit(
            {"type": "file_modify", "target": name, "content": after, "description": "remove the obsolete settings"},
            text="remove the obsolete settings",
        )
        if done.code not in (10, 30):
            kit.broken(f"`{name}` may lose all it has without a question (exit {done.code})")
