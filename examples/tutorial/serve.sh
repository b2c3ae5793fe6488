#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# serve.sh CONF SECONDS: nginx and the program that loads it, both on CPU 0, as one command that
# ends. Run it in a folder with CONF and page.html.
set -eu
taskset -c 0 nginx -p . -c "$1" &
until curl -s -o page.got http://127.0.0.1:8088/page.html; do sleep 0.05; done
taskset -c 0 wrk -t 1 -c 16 -d "$2s" http://127.0.0.1:8088/page.html
nginx -p . -c "$1" -s quit 2>quit.log
wait
