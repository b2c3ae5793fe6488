# SPDX-License-Identifier: GPL-3.0-or-later
"""exchange.py [FOLDER]: 20 bytes through a socket for each line of standard input, in the process that
the line names: "main", a thread ("thread"), a child that is forked for it ("fork"), a child that was
forked at the start ("child"). Says what it has done. Other lines: "exit", "_exit", "exec", "bad-exec",
"daemon" (go on in a child of its own, the parent exits), "sandbox" (x86-64)."""
import ctypes
import os
import socket
import struct
import sys
import threading

first, second = socket.socketpair()


def exchange():
    for _ in range(20):
        first.send(b"x")
        second.recv(1)


def fork(to_do):
    pid = os.fork()
    if pid == 0:
        to_do()
        os._exit(0)
    os.waitpid(pid, 0)


def say(text):
    os.write(1, (text + "\n").encode())


class Child:
    def __init__(self):
        ask, self.ask = os.pipe()
        self.answer, answer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.ask)
            while os.read(ask, 1):
                exchange()
                os.write(answer, b".")
            os._exit(0)
        os.close(ask)

    def exchange(self):
        os.write(self.ask, b".")
        os.read(self.answer, 1)


def run_thread():
    thread = threading.Thread(target=exchange)
    thread.start()
    thread.join()


def daemon():
    if os.fork():
        os._exit(0)
    say("pid %d" % os.getpid())


def bad_exec():
    try:
        os.execv("/there/is/none", ["none"])
    except OSError:
        pass


def sandbox():
    """A filter that kills for what it takes to make a file, and to know oneself."""
    numbers = [39, 131, 257, 265, 285]  # getpid, sigaltstack, openat, linkat, fallocate
    code = [(0x20, 0, 0, 0)]
    for i, number in enumerate(numbers):
        code.append((0x15, len(numbers) - i, 0, number))
    code += [(0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x80000000)]
    filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(filters)))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
        os._exit(99)


child = Child()
steps = {
    "main": exchange,
    "thread": run_thread,
    "fork": lambda: fork(exchange),
    "child": child.exchange,
    "daemon": daemon,
    "bad-exec": bad_exec,
    "sandbox": sandbox,
    "exit": sys.exit,
    "_exit": lambda: os._exit(0),
    "exec": lambda: os.execve("/bin/sleep", ["sleep", "60"], {}),
}
say("ready %d %d" % (os.getpid(), child.pid))
for line in iter(sys.stdin.readline, ""):
    steps[line.strip()]()
    say("done " + line.strip())
