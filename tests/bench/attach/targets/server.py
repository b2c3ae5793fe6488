# SPDX-License-Identifier: GPL-3.0-or-later
"""An HTTP server of the standard library: by threads, or by asyncio. GET /SEED/SIZE."""
import asyncio
import hashlib
import http.server
import os
import sys
import threading
import time


def body_of(path):
    seed, size = (int(word) for word in path.strip("/").split("/"))
    text = (f"scprof-check-{seed:08d}." * (size // 22 + 1))[:size].encode()
    return hashlib.sha256(text).hexdigest().encode() + text


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = body_of(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def check_sleeps():
    """Sleeps must last; files must come back as they were written; locks must time out."""
    lock = threading.Lock()
    lock.acquire()
    while True:
        began = time.monotonic()
        time.sleep(0.02)
        lock.acquire(timeout=0.01)
        if time.monotonic() - began < 0.03:
            print("wrong: a sleep was too short", flush=True)
        read, write = os.pipe()
        os.write(write, b"x" * 1000)
        if os.read(read, 2000) != b"x" * 1000:
            print("wrong: a pipe's bytes", flush=True)
        os.close(read), os.close(write)


async def answer(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            body = await asyncio.get_running_loop().run_in_executor(None, body_of, head.split()[1].decode())
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def serve(port):
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


threading.Thread(target=check_sleeps, daemon=True).start()
if sys.argv[1] == "threads":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
else:
    asyncio.run(serve(int(sys.argv[2])))
