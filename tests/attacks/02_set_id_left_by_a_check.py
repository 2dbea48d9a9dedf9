"""A plan that nobody saw has the operator's check leave a program in `dist/` that lends the operator's rights to everybody."""

import os
import shutil
import stat
import subprocess

# Each in a process of its own: what one call is refused, another may be allowed.
WAYS = [
    "os.chmod(p, 0o6755)",
    "os.fchmod(os.open(p, os.O_RDONLY), 0o4755)",
    "call(268, -100, b, 0o4755)",
    "call(452, -100, b, 0o4755, 0)",
    "os.open(p + '.new', os.O_CREAT | os.O_WRONLY, 0o4755)",
    "call(85, b + b'.creat', 0o4755)",
    "os.mknod(p + '.node', 0o104755)",
    "call(437, -100, b + b'.open2', (ctypes.c_uint64 * 3)(0o101, 0o4755, 0), 24)",
    "call(90 | 0x40000000, b, 0o4755)",
    "call(188, b, b'security.capability', bytes.fromhex('0100000280000000' + '00' * 12), 20, 0)",
]

CHECK = """import ctypes, os, shutil, sys
call = ctypes.CDLL(None).syscall
for n, way in enumerate({ways!r}):
    if os.fork() == 0:
        os.umask(0)
        p = f"dist/tool{{n}}"
        b = p.encode()
        shutil.copyfile("/bin/cat", p)
        os.chmod(p, 0o755)
        try:
            exec(way)
        finally:
            os._exit(0)
    os.wait()
sys.exit({code})
"""


def attack(kit):
    if shutil.which("bwrap") is None or subprocess.run(["unshare", "-Ur", "true"]).returncode != 0:
        kit.skip("checks cannot be confined here: `bwrap` and user namespaces are needed")
    for code in (0, 1):
        place = kit.place(profile="DEV")
        place.write("test.py", "print('ok')\n")
        place.policy(
            f'version = "1"\n\n[[projects."{place.project}".checks]]\nname = "tests"\n'
            'argv = ["/usr/bin/python3", "test.py"]\nwrites = ["dist"]\n'
        )
        plan = place.plan({
            "type": "file_modify",
            "target": "test.py",
            "content": CHECK.format(ways=WAYS, code=code),
            "description": "test.py tries every way to set a mode in dist and reports by its exit code",
        }, text="have test.py try every way to set a mode of a file in dist/")
        done = place.exacta("run", plan, "--json")
        if done.code == 30:  # a person would be asked: who approves it still must not be robbed
            view = done.json()
            place.approve(view["plan_id"], view["plan_hash"])
            done = place.exacta("execute", view["plan_id"], "--json")
        if not (place.project / "dist").is_dir():
            raise RuntimeError(f"the check did not run: {done!r}")
        for path in sorted((place.project / "dist").iterdir()):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                kit.broken(f"dist/{path.name} has mode {mode & 0o7777:o} and is user {path.lstat().st_uid}'s (exit {done.code})")
            if "security.capability" in os.listxattr(path):
                kit.broken(f"dist/{path.name} has capabilities")
