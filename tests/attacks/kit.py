"""What every attack uses: a throw-away user with a project, the real program between them, and the word for winning.

An attack plays an agent that may write anywhere in the project, `.exacta/` included, but not in the user's own folder.
"""

import json
import os
import pathlib
import pty
import select
import shutil
import subprocess
import tempfile
import time

LIMIT = 120


class Broken(Exception):
    """The attacker got something. The text says what."""


class Skipped(Exception):
    """This machine cannot play the attack. The text says what is missing."""


class Done:
    """How a command ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        """The one object that `--json` prints; empty where the program printed none."""
        try:
            return json.loads(self.out)
        except ValueError:
            return {}

    def __repr__(self):
        return f"exit {self.code}\n{self.out}\n{self.err}"


class Kit:
    """One attack's tools. Everything it makes goes when it ends."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="exacta-attack-"))
        self.places = 0

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def broken(self, what):
        raise Broken(what)

    def skip(self, why):
        raise Skipped(why)

    def place(self, profile="SAFE", init=True):
        """A user with an approver key without passphrase, and a project of theirs in `profile`."""
        self.places += 1
        place = Place(self, self.folder / f"place{self.places}")
        if init:
            place.must("init", "--approver", "owner", "--no-passphrase")
            if profile != "SAFE":
                if profile == "FULL-AUTO":
                    place.policy('version = "1"\nceiling = "FULL-AUTO"\n')
                place.must("profile", "set", profile, "--approver-key", place.key)
        return place


class Place:
    """A user's folder and a project."""

    def __init__(self, kit, folder):
        self.kit, self.folder = kit, folder
        self.home, self.project = folder / "home", folder / "project"
        self.project.mkdir(parents=True)
        self.key = str(self.home / "keys/owner.key")
        self.plans = 0

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "EXACTA_HOME": str(self.home), "TERM": "xterm-256color", **more}

    def start(self, *args, **options):
        """The program, running; the caller ends it."""
        options.setdefault("cwd", self.project)
        options.setdefault("env", self.environment())
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([self.kit.program, *map(str, args)], **options)

    def exacta(self, *args, stdin=None, limit=LIMIT, cwd=None, env=None):
        """Runs the program to its end, without a terminal."""
        done = subprocess.run(
            [self.kit.program, *map(str, args)],
            cwd=cwd or self.project,
            env=env or self.environment(),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=limit,
        )
        return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def must(self, *args, **options):
        """A command that has to succeed for the attack to be played at all."""
        done = self.exacta(*args, **options)
        if done.code != 0:
            raise RuntimeError(f"exacta {' '.join(map(str, args))}: {done!r}")
        return done

    def policy(self, text):
        """Makes `text` the Safety Policy, as its owner would."""
        file = self.folder / "policy.toml"
        file.write_text(text)
        return self.must("policy", "set", file, "--approver-key", self.key)

    def write(self, path, content):
        path = self.project / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, path):
        return (self.project / path).read_bytes()

    def plan(self, *steps, text="make the change that was asked for, as described", kind="FixBug", **more):
        """A proposal as a file outside the project. A step is a dict; id, order and dependencies are filled in."""
        steps = [
            {"id": f"s{n}", "order": n, "dependencies": [], "description": "make the change that was asked for", **step}
            for n, step in enumerate(steps, 1)
        ]
        proposal = {"schema": "exacta.plan/1", "intent": {"type": kind, "text": text}, "steps": steps, **more}
        self.plans += 1
        file = self.folder / f"plan{self.plans}.json"
        file.write_text(json.dumps(proposal))
        return file

    def submit(self, *steps, **more):
        """Submits a plan of these steps and gives how that ended; `.json()` is the plan's view."""
        return self.exacta("submit", self.plan(*steps, **more), "--json")

    def approve(self, plan_id, plan_hash):
        """As the owner would with a key, naming what was shown."""
        return self.exacta("approve", plan_id, "--hash", plan_hash, "--approver-key", self.key, "--json")

    def record(self):
        """Everything the project's record holds, as bytes: what a reader of `.exacta/` can find."""
        found = b""
        for path in sorted((self.project / ".exacta").rglob("*")):
            if path.is_file() and not path.is_symlink():
                found += path.read_bytes()
        return found

    def terminal(self, *args, keys=(), limit=20, rows=24, columns=80):
        """Runs the program on a terminal, types `keys` (pairs of text to wait for and text to type), gives all it drew."""
        pid, handle = pty.fork()
        if pid == 0:
            os.chdir(self.project)
            os.execve(self.kit.program, [self.kit.program, *map(str, args)], self.environment())
        size(handle, rows, columns)
        drawn, waiting, end = b"", list(keys), time.monotonic() + limit
        seen = 0
        while time.monotonic() < end:
            if waiting and waiting[0][0].encode() in drawn[seen:]:
                text = waiting.pop(0)[1]
                seen = len(drawn)
                time.sleep(0.2)
                os.write(handle, text.encode())
            if select.select([handle], [], [], 0.1)[0]:
                try:
                    some = os.read(handle, 65536)
                except OSError:
                    break
                if not some:
                    break
                drawn += some
        os.close(handle)
        try:
            os.kill(pid, 9)
        except ProcessLookupError:
            pass
        os.waitpid(pid, 0)
        return drawn.decode("utf-8", "replace")


def size(handle, rows, columns):
    """Tells the terminal how large it is."""
    import fcntl
    import struct
    import termios

    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
