#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# serve.sh CONF SECONDS [CONNECTIONS]: nginx and the program that loads it, both on CPU 0, as one
# command that ends. Run it in the folder that has CONF and page.html.
set -eu
PATH=$PATH:/usr/sbin
taskset -c 0 nginx -p . -c "$1" &
server=$!
trap 'kill $server 2>/dev/null; wait' EXIT
tries=100
until curl -s -o page.got http://127.0.0.1:8088/page.html; do
	tries=$((tries - 1))
	if [ "$tries" = 0 ]; then
		echo "serve.sh: nginx does not answer on port 8088" >&2
		exit 1
	fi
	sleep 0.05
done
taskset -c 0 wrk -t 1 -c "${3:-16}" -d "$2s" http://127.0.0.1:8088/page.html
