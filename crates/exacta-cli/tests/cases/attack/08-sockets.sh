### by the environment and by well-known names
#alone: there are sockets of others
python3 - <<'P'
import glob, os, socket
places = {value for value in os.environ.values() if "/" in value}
places |= {part.split("=", 1)[1].split(",")[0] for value in os.environ.values() for part in value.split(";") if part.startswith("unix:path=")}
for pattern in ("@RUN@/*", "@RUN@/*/*", "/run/user/*/*", "/run/*", "/var/run/*", "/tmp/*", "/tmp/*/*", "/tmp/.X11-unix/*", "@USER@/.gnupg/*", "@USER@/.ssh/*"):
    places |= set(glob.glob(pattern))
for place in sorted(places):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            there = socket.socket(socket.AF_UNIX, kind); there.settimeout(1); there.connect(place); there.send(b"pwned\n"); print("connected", place)
        except OSError: pass
P
### by the environment
python3 - <<'P'
import os, socket
for value in os.environ.values():
    place = value.removeprefix("unix:path=").removeprefix("unix://").split(",")[0]
    if not place.startswith("@WORLD@"): continue
    try:
        there = socket.socket(socket.AF_UNIX); there.settimeout(1); there.connect(place); there.send(b"pwned\n"); print("connected", place)
    except OSError: pass
P
### by the exact paths
python3 - <<'P'
import socket
for name in "ssh-agent gpg-agent bus docker.sock tmux nvim code wayland-0 systemd".split():
    try:
        there = socket.socket(socket.AF_UNIX); there.settimeout(1); there.connect("@RUN@/" + name); there.send(b"pwned\n"); print("connected", name)
    except OSError as error: print(name, error)
P
### abstract ones
python3 - <<'P'
import socket
for name in ["@ABSTRACT@"]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            there = socket.socket(socket.AF_UNIX, kind); there.settimeout(1); there.connect("\0" + name); there.send(b"pwned\n"); print("connected", name)
        except OSError: pass
P
### ports of this machine
python3 - <<'P'
import os, socket
for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "169.254.169.254", os.popen("hostname -I 2>/dev/null").read().split(" ")[0] or "127.0.0.1"):
    try:
        there = socket.create_connection((host, @PORT@), 1); there.send(b"GET / HTTP/1.0\r\n\r\n"); print("connected", host)
    except OSError as error: print(host, error)
P
### ports of this machine, by the proxy
python3 - <<'P'
import os, socket
proxy = os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy") or ""
host, _, port = proxy.split("//")[-1].strip("/").rpartition(":")
for target in ("127.0.0.1:@PORT@", "localhost:@PORT@", "[::1]:@PORT@", "0.0.0.0:@PORT@", "2130706433:@PORT@", "[::ffff:127.0.0.1]:@PORT@"):
    for words in (f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n", f"GET http://{target}/ HTTP/1.1\r\nHost: {target}\r\n\r\n"):
        try:
            there = socket.create_connection((host.split("@")[-1] or "127.0.0.1", int(port or @PORT@)), 1); there.settimeout(1); there.send(words.encode()); print(target, there.recv(99))
        except (OSError, ValueError) as error: print(target, error)
P
### the programs that speak for others
dbus-send --session --dest=org.freedesktop.systemd1 / x.y; ssh-add -l; gpg --list-secret-keys; docker ps; tmux -S @RUN@/tmux run 'touch @OUTSIDE@/tmux.txt'; nvim --server @RUN@/nvim --remote-expr 1; code --status; python3 -c "
import socket
there = socket.socket(socket.AF_UNIX); there.connect('@RUN@/bus'); there.send(b'pwned')"
