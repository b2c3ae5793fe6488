# SPDX-License-Identifier: GPL-3.0-or-later
"""A service of one thread, as asyncio has them: each request is answered with a few hundred bytes of JSON, and logged
by a line of its own. service.py PORT LOG [quiet]; quiet: the line is not there."""
import asyncio
import json
import logging
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../docs/examples/python"))
import scprof

ROWS = [{"id": i, "name": f"row {i}", "tags": ["a", "b", "c"]} for i in range(12)]
LOG = logging.getLogger("service")


class Connection(asyncio.Protocol):
    quiet = False

    def connection_made(self, transport):
        self.transport, self.held = transport, b""

    def data_received(self, data):
        self.held += data
        while b"\r\n\r\n" in self.held:
            head, _, self.held = self.held.partition(b"\r\n\r\n")
            with scprof.region("request"):
                self.answer(head)

    def answer(self, head):
        page = head.split(b" ", 2)[1].decode()
        body = json.dumps({"page": page, "rows": ROWS}).encode()
        with scprof.region("log"):
            if not self.quiet:
                LOG.info("%s %s %d bytes", self.transport.get_extra_info("peername"), page, len(body))
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


logging.basicConfig(filename=sys.argv[2], level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
Connection.quiet = "quiet" in sys.argv[3:]
asyncio.run(main())
