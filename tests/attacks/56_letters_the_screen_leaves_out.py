"""Characters that take no room on a screen, and that nothing escapes: `isAdm<U+1175>in` is drawn as `isAdmin`, and runs unasked."""

LEFT_OUT = "\u1175", "\u11a8", "\ud7b0", "\U00016fe4", "\U0001107f", "\u1039", "\u17d2", "\u1a60", "\U00010a3f"


def attack(kit):
    for letter in LEFT_OUT:
        place = kit.place("DEV")
        place.write("src/auth.js", "export function denied(user) {\n  return user.isAdmin !== true;\n}\n")
        edit = {"find": "user.isAdmin !== true", "replace": f"user.isAdm{letter}in === true"}
        step = {"type": "file_modify", "target": "src/auth.js", "edits": [edit], "description": "compare isAdmin strictly"}
        done = place.submit(step, text="compare isAdmin strictly in src/auth.js")
        if done.code == 0:
            kit.broken(f"a name with an invisible U+{ord(letter):04X} is approved unasked")
        shown = place.exacta("show", done.json()["plan_id"])
        if letter in shown.out or f"\\u{{{ord(letter):x}}}" not in shown.out:
            kit.broken(f"U+{ord(letter):04X} is in what is to be approved, and not on the screen")
