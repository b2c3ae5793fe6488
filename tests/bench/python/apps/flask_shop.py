# SPDX-License-Identifier: GPL-3.0-or-later
"""A shop in Flask: each page asks a warehouse by socket, which takes its time for one kind of question."""
import socket
import sys
import threading
import time

import flask

app = flask.Flask(__name__)
warehouse = socket.socketpair
local = threading.local()


def serve_warehouse(connection):
    while True:
        question = connection.recv(100)
        if not question:
            return
        time.sleep(0.01 if question.startswith(b"stock") else 0.0001)
        connection.send(b"7")


def connection():
    if not hasattr(local, "connection"):
        local.connection, theirs = socket.socketpair()
        threading.Thread(target=serve_warehouse, args=(theirs,), daemon=True).start()
    return local.connection


def price_of(item):
    connection().send(b"price " + item.encode())
    return connection().recv(100).decode()


def stock_of(item):
    connection().send(b"stock " + item.encode())
    return connection().recv(100).decode() # the slow line


@app.route("/item/<name>")
def item(name):
    return {"name": name, "price": price_of(name), "stock": stock_of(name)}


if __name__ == "__main__":
    app.run("127.0.0.1", int(sys.argv[1]), threaded=True)
