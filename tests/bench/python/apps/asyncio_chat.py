# SPDX-License-Identifier: GPL-3.0-or-later
"""A web server of asyncio alone. One coroutine blocks the loop: it asks a slow service by a blocking socket."""
import asyncio
import socket
import sys
import threading
import time

ours, theirs = socket.socketpair()


def service():
    while theirs.recv(100):
        time.sleep(0.003)
        theirs.send(b"friends")


async def greeting(path):
    await asyncio.sleep(0)
    return b"hello " + path


async def friends(path):
    ours.send(b"friends of " + path)
    return ours.recv(100) # the slow line


async def answer(path):
    greeted = await greeting(path)
    return greeted + b"; " + await friends(path)


async def handle(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            body = await answer(head.split(b" ", 2)[1])
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    server = await asyncio.start_server(handle, "127.0.0.1", int(sys.argv[1]))
    async with server:
        await server.serve_forever()


threading.Thread(target=service, daemon=True).start()
asyncio.run(main())
