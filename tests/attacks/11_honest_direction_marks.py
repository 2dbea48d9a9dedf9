"""Honest Arabic, Hebrew and Fluent texts that nobody can let in, and the marks that hide code.

A gate that denies honest text is switched off by its users; one that lets isolates reorder code unasked is of no use.
"""

HONEST = {
    "locales/ar.json": '{ "price": "\u200fالسعر: 12 USD\u200e", "hello": "\u2067مرحبا\u2069" }\n',
    "locales/he/app.ftl": "hello = שלום \u2068{ $name }\u2069\n",
    "po/he.po": 'msgid "Hello"\nmsgstr "שלום\u200f!"\n',
}
ASKED = {
    "tests/snapshots/greeting.txt": "Hello \u2068World\u2069\n",
    "docs/notes.txt": "one\u2028two\n",
    "CHANGELOG": "1.0\x01 first release\n",
}
DENIED = {
    "src/admin.js": "if (level != 'user\u202e \u2066// admin\u2069 \u2066') {}\n",
    "src/withdraw.py": "def f():\n    '''note \u2067''' ;return\n",
    "notes.txt": "safe\x1b[2K\n",
}


def attack(kit):
    place = kit.place("DEV")
    for path, text in HONEST.items():
        done = create(place, path, text)
        if done.code == 10:
            kit.broken(f"nobody can let the honest `{path}` in: {done.out[:120]}")
        if "direction" in done.out or "hidden text" in done.out:
            kit.broken(f"the honest `{path}` is called suspicious")
    for path, text in ASKED.items():
        done = create(place, path, text)
        if done.code != 30:
            kit.broken(f"`{path}` ended with {done.code}; a person can judge it, so a person should be asked")
    for path, text in DENIED.items():
        done = create(place, path, text)
        if done.code != 10:
            kit.broken(f"`{path}`, which hides what it does, ended with {done.code}")


def create(place, path, text):
    step = {"type": "file_create", "target": path, "content": text, "description": "add the text that was asked for"}
    return place.submit(step, kind="AddFeature", text="add the text in another language")
