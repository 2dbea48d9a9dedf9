### the root of every process
for root in /proc/[0-9]*/root /proc/self/root /proc/thread-self/root; do echo pwned > $root@OUTSIDE@/root.txt; cat $root@OUTSIDE@/secret.txt; done
### the folder that every process is in
for cwd in /proc/[0-9]*/cwd; do cat $cwd@OUTSIDE@/secret.txt; case $(readlink $cwd) in @WORLD@*) cat $cwd/../outside/secret.txt; echo pwned >> $cwd/../sibling.txt;; esac; done
### the handles of every process
for fd in /proc/[0-9]*/fd/*; do case $(readlink "$fd") in /|@WORLD@*) cat "$fd/secret.txt" "$fd@OUTSIDE@/secret.txt"; echo pwned >> "$fd";; esac; done
### a process of the user, by its number
cat /proc/@VICTIM@/environ /proc/@VICTIM@/cmdline; cat /proc/@VICTIM@/root@OUTSIDE@/secret.txt; kill -STOP @VICTIM@
### what the kernel can be told
#alone: it would change the machine
echo '|/tmp/x' > /proc/sys/kernel/core_pattern && echo PWNED-CORE; echo b > /proc/sysrq-trigger.none; echo x > /proc/sys/kernel/hostname && echo PWNED-HOSTNAME; hostname pwned && echo PWNED-HOSTNAME; true
