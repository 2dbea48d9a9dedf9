"""Names that a shell or program reads as something else, names nobody can see, and words that steer the terminal."""

ASKED = ["-rf", "~/x.txt", "$HOME/x.txt", "a/$(id).txt", "a<b.txt", "a|b.txt", 'a"b.txt', "a?b.txt", "a*b.txt", "d/" * 300 + "x.txt"]
DENIED = ["ma\u00adin.txt", "main\u200b.txt", "main\u2060.txt", "a\u200fb.txt"]
WORDS = ["fix it\x1b[2J", "fix \u202eti", "fix \u202bit"]


def attack(kit):
    place = kit.place("DEV")
    for path in ASKED:
        done = create(place, path)
        if done.code not in (10, 30):
            kit.broken(f"`{path[:40]}` may be made without a question (exit {done.code})")
    for path in DENIED:
        done = create(place, path)
        if done.code != 10:
            kit.broken(f"{path!r} can be approved under a name nobody can read (exit {done.code})")
    for words in WORDS:
        done = create(place, "notes.txt", words)
        if done.code != 10:
            kit.broken(f"a description with {words!r} ended with {done.code}")


def create(place, path, words="add the notes that were asked for"):
    step = {"type": "file_create", "target": path, "content": "a note\n", "description": words}
    return place.submit(step, kind="AddFeature", text="add the notes that were asked for")
