# SPDX-License-Identifier: GPL-3.0-or-later
"""The least web servers there are, for what scprof costs: web_small.py flask|django|asyncio|coroutines|http PORT"""
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


async def below(depth, writer):
    if depth:
        return await below(depth - 1, writer)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY)


async def handle(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.create_task(below(10, writer))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve_coroutines(port):
    server = await asyncio.start_server(handle, "127.0.0.1", port)
    await server.serve_forever()


def by_coroutines(port):
    """Ten awaits deep, and each request in a task of its own: the frames of all are made anew."""
    asyncio.run(serve_coroutines(port))


def by_django(port):
    import django
    import django.core.servers.basehttp as basehttp
    import django.core.wsgi
    from django.conf import settings
    from django.http import HttpResponse
    from django.urls import path
    urls = type(sys)("urls")
    urls.urlpatterns = [path("<name>", lambda request, name: HttpResponse("hello " + name))]
    sys.modules["urls"] = urls
    settings.configure(ROOT_URLCONF="urls", ALLOWED_HOSTS=["*"], SECRET_KEY="x", LOGGING_CONFIG=None)
    django.setup()
    basehttp.run("127.0.0.1", port, django.core.wsgi.get_wsgi_application(), threading=True)


{"flask": by_flask, "django": by_django, "coroutines": by_coroutines, "asyncio": by_asyncio, "http": by_http}[sys.argv[1]](int(sys.argv[2]))
