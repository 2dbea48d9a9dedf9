### a program with another's rights, in the copy
cp /bin/true tool && chmod 4755 tool; cp /bin/true group && chmod 2755 group; install -m 6755 /bin/true both; find . -maxdepth 1 -perm /6000 | grep -q . && echo PWNED-SETID; chmod 755 tool group both 2>/dev/null
### by the other calls
python3 - <<'P'
import ctypes, os, stat
libc = ctypes.CDLL(None, use_errno=True)
open("made", "w").close()
held = os.open("made", os.O_RDWR)
acts = [lambda: os.chmod("made", 0o4755), lambda: os.fchmod(held, 0o2755), lambda: os.chmod("made", 0o6777, follow_symlinks=True),
        lambda: libc.syscall(452, -100, b"made", 0o4755, 0), lambda: os.close(os.open("born", os.O_CREAT | os.O_WRONLY, 0o4755)),
        lambda: os.mkdir("folder", 0o2775), lambda: os.mknod("node", stat.S_IFREG | 0o4755), lambda: libc.syscall(437, -100, b"second", ctypes.byref((ctypes.c_uint64 * 3)(0o101, 0o4755, 0)), 24)]
for act in acts:
    try: act()
    except OSError as error: print(error)
for name in os.listdir("."):
    if os.path.isfile(name) and os.lstat(name).st_mode & 0o6000: print("PWNED-SETID")
P
### what is there, used
#alone: root needs none of them
python3 -c "
import ctypes, os
print(open('/proc/self/status').read())
if 'NoNewPrivs:\t1' not in open('/proc/self/status').read(): print('PWNED-PRIVILEGES')
caps = [int(line.split()[1], 16) for line in open('/proc/self/status') if line.startswith(('CapEff', 'CapPrm', 'CapBnd', 'CapAmb'))]
if any(caps): print('PWNED-CAPABILITIES', caps)"; su -c 'touch @OUTSIDE@/su.txt' </dev/null; sudo -n touch @OUTSIDE@/sudo.txt; pkexec touch @OUTSIDE@/pkexec.txt </dev/null; newgrp </dev/null; true
### a device of its own
python3 - <<'P'
import os, stat
for name, device in (("disk", os.makedev(254, 0)), ("null", os.makedev(1, 3)), ("memory", os.makedev(1, 1))):
    for place in (".", "/tmp", os.environ["HOME"]):
        try: os.mknod(f"{place}/{name}-node", stat.S_IFBLK | 0o666 if name == "disk" else stat.S_IFCHR | 0o666, device); print("PWNED-DEVICE", name)
        except OSError as error: print(error)
        try: os.unlink(f"{place}/{name}-node")
        except OSError: pass
P
