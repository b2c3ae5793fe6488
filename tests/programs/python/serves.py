# SPDX-License-Identifier: GPL-3.0-or-later
# Sends for ever, in a thread, an asyncio loop and forked workers, while another thread compiles and
# drops code, and says how often. Says where PyCode_Type.tp_dealloc lies: a slot that is looked at from outside.
import asyncio
import os
import signal
import socket
import sys
import threading
import time

DEALLOC = 48  # in a type object: two words of an object, the size, the name, two sizes


def compile_and_drop():
    number, mine = 0, Echo()
    while True:
        number += 1
        text = "def made(s):\n" + "\n" * (number % 50) + "    s.send(b'm')\n    s.recv(1)\n"
        names = {}
        exec(compile(text, "made%d.py" % (number % 7), "exec"), names)
        names["made"](mine)
        if number % 20 == 0:
            time.sleep(0.002)
        if number % 200 == 0:
            print("made %d" % number, flush=True)


def block(end):
    end.recv(1)


def reply(end):
    end.send(b"x")
    end.recv(1)


def serve():
    mine = Echo()
    while True:
        reply(mine)
        time.sleep(0.0005)


async def answer():
    mine = Echo()
    while True:
        reply(mine)
        await asyncio.sleep(0.0005)


class Echo:
    """Both ends of a pair: what is sent by one is received."""

    def __init__(self):
        self.near, self.far = socket.socketpair()
        self.send, self.recv = self.near.send, self.far.recv


signal.alarm(900)
if len(sys.argv) > 1:
    for _ in range(int(sys.argv[1])):
        if os.fork() == 0:
            signal.alarm(900)
            serve()
print("begun %d" % (id(type(reply.__code__)) + DEALLOC), flush=True)
threading.Thread(target=block, args=(Echo(),), daemon=True).start()
threading.Thread(target=compile_and_drop, daemon=True).start()
threading.Thread(target=serve, daemon=True).start()
asyncio.new_event_loop().run_until_complete(answer())
