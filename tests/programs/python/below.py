# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends 1 byte from other(), 10 from Service.reply(), 100 from main() alone, each ROUNDS times."""
import socket
import sys


class Service:
    def __init__(self, to):
        self.to = to

    def reply(self):
        put(self.to, b"r" * 10)


def put(to, what):
    to.send(what)


def other(to):
    put(to, b"o")


def main():
    left, right = socket.socketpair()
    service = Service(left)
    for _ in range(int(sys.argv[1])):
        other(left)
        service.reply()
        put(left, b"m" * 100)
        right.recv(1000)


main()
