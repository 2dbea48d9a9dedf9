### a second name of a file outside
ln @USER@/notes.txt second.txt && echo pwned >> second.txt
### a second name by a handle
python3 - <<'P'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for name in ("@USER@/notes.txt", "@OUTSIDE@/canary.txt"):
    try:
        held = os.open(name, os.O_RDONLY)
        libc.linkat(-100, f"/proc/self/fd/{held}".encode(), -100, f"held-{os.path.basename(name)}".encode(), 0x400)
        open(f"held-{os.path.basename(name)}", "a").write("pwned\n")
    except OSError as error: print(error)
P
### a file of the copy, at a place outside
echo pwned > own.txt; ln own.txt @OUTSIDE@/linked.txt; ln own.txt @USER@/linked.txt; mv own.txt @OUTSIDE@/moved.txt
### what the copy itself shares with the project
#alone: only a copy can share anything with a project
for file in greet.txt src/main.py kept.log; do [ "$(stat -c %h $file)" = 1 ] || echo "SHARED-INODE"; python3 -c "open('$file','r+').write('PWNED')"; done; find .git -type f -links +1 | grep -q . && echo SHARED-INODE; find .git -type f | head -50 | while read -r f; do chmod u+w "$f"; echo pwned >> "$f"; done
