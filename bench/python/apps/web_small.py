# SPDX-License-Identifier: GPL-3.0-or-later
"""The least web servers there are, for what scprof costs: web_small.py flask|asyncio|http PORT"""
import asyncio
import http.server
import sys

BODY = b"hello\n"


def by_flask(port):
    import logging
    import flask
    from werkzeug.serving import WSGIRequestHandler
    logging.getLogger("werkzeug").disabled = True
    WSGIRequestHandler.protocol_version = "HTTP/1.1"
    app = flask.Flask(__name__)

    @app.route("/<name>")
    def hello(name):
        return "hello " + flask.escape(name)
    app.run("127.0.0.1", port, threaded=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *words):
        pass


def by_http(port):
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


class Protocol(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.head = transport, b""

    def data_received(self, data):
        self.head += data
        while b"\r\n\r\n" in self.head:
            _, self.head = self.head.split(b"\r\n\r\n", 1)
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY)


async def serve(port):
    server = await asyncio.get_running_loop().create_server(Protocol, "127.0.0.1", port)
    await server.serve_forever()


def by_asyncio(port):
    asyncio.run(serve(port))


{"flask": by_flask, "asyncio": by_asyncio, "http": by_http}[sys.argv[1]](int(sys.argv[2]))
