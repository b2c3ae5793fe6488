# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes in Django, in one file, with sqlite3 for the notes and a journal that is written through to the disk for each view."""
import os
import sys
import tempfile
import threading

import django
from django.conf import settings

FOLDER = tempfile.mkdtemp(prefix="notes-", dir=".")
settings.configure(DEBUG=False, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="none", MIDDLEWARE=[
    "django.middleware.common.CommonMiddleware"], TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER + "/notes.db"}})
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection                   # noqa: E402
from django.http import HttpResponse               # noqa: E402
from django.template import Context, Template      # noqa: E402
from django.urls import path                       # noqa: E402

PAGE = Template("<ul>{% for n in notes %}<li>{{ n.0 }}{% endfor %}</ul>")
journal = os.open(FOLDER + "/journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
lock = threading.Lock()


def record(what):
    with lock:
        os.write(journal, what.encode() + b"\n")
        os.fsync(journal) # the slow line


def index(request):
    record("index")
    with connection.cursor() as cursor:
        cursor.execute("SELECT text FROM note ORDER BY id DESC LIMIT 10")
        return HttpResponse(PAGE.render(Context({"notes": cursor.fetchall()})))


urlpatterns = [path("", index)]
application = get_wsgi_application()

if __name__ == "__main__":
    from django.core.servers.basehttp import WSGIServer, WSGIRequestHandler, ThreadedWSGIServer
    with connection.cursor() as c:
        c.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
        c.executemany("INSERT INTO note (text) VALUES (%s)", [["note %d" % n] for n in range(100)])
    WSGIRequestHandler.log_message = lambda *a: None
    server = ThreadedWSGIServer(("127.0.0.1", int(sys.argv[1])), WSGIRequestHandler)
    server.set_app(application)
    server.serve_forever()
