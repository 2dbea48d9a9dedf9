"""The record is damaged so that a person gives `init --anew`; meanwhile links are planted where the configuration is copied.

The attacker wants one of three things: a file of the operator's overwritten with their text, a secret of the operator's copied into
the project, or the link followed in a moment between two looks.
"""

import os
import threading

TRIES = 8
MINE = b"# the attacker's own words\n"


def damage(place):
    """Something that `audit verify` finds, and after which only `init --anew` helps."""
    log = place.project / ".exacta/audit.log"
    log.write_bytes(log.read_bytes().replace(b'"', b"'", 1))


def anew(place):
    return place.exacta("init", "--anew", "--approver-key", place.key)


def overwrite(kit):
    """`config.toml` is a link to the operator's file as soon as the new folder is there."""
    for _ in range(TRIES):
        place = kit.place()
        victim = place.home / "approvers.toml"
        before = victim.read_bytes() if victim.exists() else None
        place.write(".exacta/config.toml", MINE)
        damage(place)
        stop = threading.Event()

        def plant():
            records = place.project / ".exacta"
            while not stop.is_set():
                if (place.project / ".exacta.aside-1").exists() and records.exists():
                    try:
                        os.symlink(victim, records / "config.toml")
                    except OSError:
                        pass

        planter = threading.Thread(target=plant)
        planter.start()
        anew(place)
        stop.set()
        planter.join()
        after = victim.read_bytes() if victim.exists() else None
        if after != before:
            kit.broken("a file of the operator's was overwritten with the attacker's text")


def leak(kit):
    """The old `config.toml` becomes a link to the key, or a second name of it, when it has been looked at."""
    for number in range(TRIES):
        place = kit.place()
        seed = open(place.key, "rb").read()
        place.write(".exacta/config.toml", MINE)
        damage(place)
        stop = threading.Event()

        def swap():
            aside = place.project / ".exacta.aside-1/config.toml"
            other = aside.with_name("other")
            while not stop.is_set():
                try:
                    if number % 2:
                        os.symlink(place.key, other)
                    else:
                        os.link(place.key, other)
                    os.rename(other, aside)
                except OSError:
                    pass

        swapper = threading.Thread(target=swap)
        swapper.start()
        anew(place)
        stop.set()
        swapper.join()
        kept = place.project / ".exacta/config.toml"
        if kept.exists() and not kept.is_symlink() and kept.stat().st_nlink == 1 and kept.read_bytes() == seed:
            kit.broken("the approver's key was copied into the project")


def planted_beforehand(kit):
    """Without any race: `config.toml` is a second name of the key from the start."""
    place = kit.place()
    seed = open(place.key, "rb").read()
    os.link(place.key, place.project / ".exacta/config.toml")
    damage(place)
    anew(place)
    kept = place.project / ".exacta/config.toml"
    if kept.exists() and kept.read_bytes() == seed:
        kit.broken("the approver's key was copied into the project")


def attack(kit):
    planted_beforehand(kit)
    overwrite(kit)
    leak(kit)
