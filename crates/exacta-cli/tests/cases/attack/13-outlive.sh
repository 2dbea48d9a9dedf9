### in a session of its own
setsid nohup sh -c 'trap "" HUP TERM INT; while :; do echo tick >> @PROJECT@/ticks.txt; sleep 0.2; done' @MARK@ >/dev/null 2>&1 < /dev/null &
sleep 0.5
### twice forked
python3 - <<'P'
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
        os.closerange(0, 99)
        os.execvp("sleep", ["@MARK@", "300"])
    os._exit(0)
time.sleep(0.5)
P
### in namespaces of its own
for words in 'unshare -Urfp --mount-proc' 'unshare -f --pid' setsid; do $words sh -c 'sleep 300; : @MARK@' >/dev/null 2>&1 </dev/null & done; sleep 0.5
### more than can be counted
i=0; while [ $i -lt 60 ]; do (setsid sh -c 'sleep 300; : @MARK@' >/dev/null 2>&1 &) ; i=$((i+1)); done; sleep 0.5
