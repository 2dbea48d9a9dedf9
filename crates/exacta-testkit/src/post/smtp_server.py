"""An SMTP server for tests: aiosmtpd, with faults by a plan that is read from a file before every connection.

Usage: smtp_server.py MAILDIR PLAN LOG [CERTIFICATE KEY]
Prints its port. PLAN holds one word for each coming connection, taken from its front; none means that nothing goes wrong. LOG gets one line for each
message that is stored, with its Message-ID, and one for each connection.
"""
import asyncio
import os
import socket
import ssl
import struct
import sys

from aiosmtpd.smtp import SMTP, AuthResult

maildir, plan, log = sys.argv[1:4]
stored = 0


def next_fault():
    with open(plan, "r+") as file:
        words = file.read().split()
        file.seek(0)
        file.truncate()
        file.write(" ".join(words[1:]))
    return words[0] if words else "none"


def note(line):
    with open(log, "a") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def store(envelope):
    global stored
    stored += 1
    name = f"{os.getpid()}.{stored}"
    content = envelope.original_content
    path = os.path.join(maildir, "tmp", name)
    with open(path, "wb") as file:
        file.write(content)
    os.rename(path, os.path.join(maildir, "new", name))
    ids = [line[11:].strip().decode() for line in content.split(b"\r\n") if line.lower().startswith(b"message-id:")]
    note(f"stored {' '.join(ids)} from {envelope.mail_from} to {','.join(envelope.rcpt_tos)} bytes {len(content)}")


def cut(server, reset=False):
    transport = server.transport
    if reset:
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    else:
        transport.abort()


class Handler:
    async def handle_MAIL(self, server, session, envelope, address, options):
        if server.fault == "mail_4xx":
            return "451 4.3.0 later"
        if server.fault == "mail_5xx":
            return "550 5.1.0 never"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if server.fault == "rcpt_4xx":
            return "450 4.2.0 later"
        if server.fault == "rcpt_5xx":
            return "550 5.1.1 no such user"
        if server.fault == "cut_at_rcpt":
            cut(server)
        if server.fault == "hang_at_rcpt":
            await asyncio.sleep(600)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        fault = server.fault
        if fault in ("cut_before_store", "reset_before_store"):
            cut(server, reset=fault.startswith("reset"))
            await asyncio.sleep(600)
        if fault == "hang_before_store":
            await asyncio.sleep(600)
        if fault == "data_4xx":
            return "452 4.2.2 mailbox full"
        if fault == "data_5xx":
            return "554 5.6.0 not like this"
        store(envelope)
        if fault in ("cut_after_store", "reset_after_store"):
            cut(server, reset=fault.startswith("reset"))
            await asyncio.sleep(600)
        if fault == "hang_after_store":
            await asyncio.sleep(600)
        if fault == "nonsense_after_store":
            server.transport.write(b"what?\r\n")
            await asyncio.sleep(600)
        return "250 OK"


class Server(SMTP):
    fault = "none"

    def connection_made(self, transport):
        if not self.fault_taken:
            self.fault = next_fault()
            self.fault_taken = True
            note(f"connection {self.fault}")
        super().connection_made(transport)

    fault_taken = False

    async def smtp_DATA(self, arg):
        if self.fault == "data_command_4xx":
            await self.push("421 4.3.2 later")
            return
        if self.fault == "cut_at_data":
            cut(self)
            return
        await super().smtp_DATA(arg)


def authenticate(server, session, envelope, mechanism, data):
    good = data.login == b"me@here.example" and data.password == b"se cret\"\\"
    return AuthResult(success=good, handled=False)


async def main():
    context = None
    if len(sys.argv) > 4:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(sys.argv[4], sys.argv[5])
    # aiosmtpd warns where a password would go without TLS: this is one machine.
    import warnings

    warnings.simplefilter("ignore")

    def factory():
        return Server(
            Handler(), tls_context=context, authenticator=authenticate, auth_required=True,
            auth_require_tls=context is not None, require_starttls=context is not None,
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(factory, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(3600)


asyncio.run(main())
