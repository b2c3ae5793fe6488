# SPDX-License-Identifier: GPL-3.0-or-later
"""exchange.py [FOLDER]: 20 bytes through a socket for each line of standard input, in the process that
the line names: "main", a thread ("thread"), a child that is forked for it ("fork"), a child that was
forked at the start ("child"). Says what it has done. Other lines: "exit", "_exit", "exec", "bad-exec",
"daemon" (go on in a child of its own, the parent exits)."""
import os
import socket
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


child = Child()
steps = {
    "main": exchange,
    "thread": run_thread,
    "fork": lambda: fork(exchange),
    "child": child.exchange,
    "daemon": daemon,
    "bad-exec": bad_exec,
    "exit": sys.exit,
    "_exit": lambda: os._exit(0),
    "exec": lambda: os.execve("/bin/sleep", ["sleep", "60"], {}),
}
say("ready %d %d" % (os.getpid(), child.pid))
for line in iter(sys.stdin.readline, ""):
    steps[line.strip()]()
    say("done " + line.strip())
