# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker as Celery's: takes jobs from a list in redis, calls the function that the job names, stores the result. It makes its own
jobs first. Usage: redis_worker.py PORT"""
import functools
import json
import os
import sys
import tempfile

import redis

TASKS = {}


def task(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    TASKS[function.__name__] = wrapper
    return wrapper


@task
def add(a, b):
    return a + b


@task
def mail(to):
    with open("/dev/null", "w") as f:
        f.write("to " + to)
    return len(to)


@task
def archive(n):
    with tempfile.TemporaryFile(dir=".") as f:
        f.write(b"x" * 100000)
        f.flush()
        os.fsync(f.fileno()) # the slow line
    return n


def work(store):
    while True:
        _, text = store.blpop("jobs")
        job = json.loads(text)
        if job["task"] == "stop":
            return
        store.hset("results", job["id"], json.dumps(TASKS[job["task"]](*job["args"])))


store = redis.Redis(port=int(sys.argv[1]))
for n in range(1000):
    name, args = [("add", [n, 1]), ("mail", ["someone"]), ("add", [n, 2]), ("archive", [n])][n % 4]
    store.rpush("jobs", json.dumps({"id": n, "task": name, "args": args}))
store.rpush("jobs", json.dumps({"task": "stop"}))
work(store)
