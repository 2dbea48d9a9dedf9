### a file of the user, by its path
echo pwned >> @USER@/notes.txt; echo pwned > @USER@/new.txt
### up from the copy
cd "$(pwd -P)" && echo pwned >> ../sibling.txt; echo pwned > ../up.txt; echo pwned > ../../../../../../../../../../@OUTSIDE@/deep.txt
### remove, rename, make, change the mode
python3 - <<'P'
import os
for act in (lambda: os.unlink("@USER@/notes.txt"), lambda: os.rename("@USER@/keep", "@USER@/kept"), lambda: os.mkdir("@USER@/made"),
            lambda: os.chmod("@USER@/.profile", 0o777), lambda: os.truncate("@USER@/.profile", 0), lambda: os.utime("@USER@/.profile", (1, 1))):
    try: act()
    except OSError as error: print(error)
P
### a mount of what lies outside
#alone: it would change the machine
unshare -Urm sh -c 'mkdir -p /tmp/m && mount --bind @OUTSIDE@ /tmp/m && echo pwned > /tmp/m/mounted.txt'; mkdir -p /tmp/n; mount --bind @OUTSIDE@ /tmp/n; echo pwned > /tmp/n/mounted.txt; mount -o remount,rw /; echo pwned > @OUTSIDE@/mounted.txt
### the project's own files and its record, by every name it has
for place in @PROJECT@ @WORLD@/project/../project /proc/self/cwd; do echo pwned >> $place/.exacta/audit.log; mkdir -p $place/.exacta/plans; echo pwned > $place/.exacta/plans/x.json; done; echo pwned > @PROJECT@/../other/greet.txt
