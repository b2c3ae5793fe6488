#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The call paths of widely used programs, walked twice (`scprof run --verify-paths`): libunwind and
# the full walk must agree with every one. What is not installed is skipped. Takes minutes.
# Usage: scripts/verify_programs.sh BUILD [PATTERN], PATTERN of names. Ends with "N passed, N failed".
set -uo pipefail
build=$(realpath "${1:?usage: scripts/verify_programs.sh BUILD [PATTERN]}")
only=${2:-*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

# verify NAME TOOLS COMMAND...: TOOLS are what has to be installed.
verify()
{
	local name=$1 tools=$2 tool counts verified differ undecided
	shift 2
	# shellcheck disable=SC2053 # a pattern is meant
	[[ $name == $only ]] || return 0
	for tool in $tools; do
		command -v "$tool" >/dev/null || {
			echo "skip $name: no $tool"
			return 0
		}
	done
	timeout -k 10 600 "$build/scprof" run --verify-paths -g all,alloc --no-report -o "$name.scp" -- "$@" \
		</dev/null >"$name.out" 2>&1
	counts=$("$build/scprof" report --format json "$name.scp" |
		jq -r '.paths | "\(.verified) \(.differ) \(.undecided)"')
	read -r verified differ undecided <<<"$counts"
	if [ "${verified:-0}" -gt 0 ] && [ "$differ" = 0 ]; then
		echo "ok   $name: $verified new paths, $undecided undecided"
		passed=$((passed + 1))
	else
		echo "FAIL $name: ${verified:-no} new paths, ${differ:-?} differ"
		tail -n 5 "$name.out"
		failed=$((failed + 1))
	fi
}

cat >redis.sh <<'END'
redis-server --port 0 --unixsocket ./redis.sock --save '' --appendonly yes & server=$!
until redis-cli -s ./redis.sock ping 2>/dev/null; do kill -0 $server || exit 1; sleep 0.1; done
redis-benchmark -s ./redis.sock -q -n 2000 -c 20
redis-benchmark -s ./redis.sock -q -n 1000 -c 10 -P 8 eval "return redis.pcall('incr', 'k' .. #ARGV)" 0
redis-cli -s ./redis.sock shutdown nosave
wait $server
END

cat >nginx.conf <<END
worker_processes 2; daemon off; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 64; }
http { access_log off; gzip on; gzip_types *; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f;
uwsgi_temp_path u; scgi_temp_path s; server { listen unix:$work/nginx.sock; root /usr/share/doc; autoindex on; } }
END
cat >nginx.sh <<'END'
nginx -p . -c "$PWD/nginx.conf" & server=$!
until curl -s -o page --unix-socket nginx.sock http://x/; do kill -0 $server || exit 1; sleep 0.1; done
for i in $(seq 100); do curl -s -o page --compressed --unix-socket nginx.sock http://x/; done
kill -QUIT $server
wait $server
END

cat >server.js <<'END'
const http = require('http'), fs = require('fs'), out = fs.openSync('/dev/null', 'w');
const deep = n => n ? deep(n - 1) + 1 : fs.writeSync(out, 'x');
for (let i = 0; i < 20000; i++) deep(i % 12);
const server = http.createServer((q, r) => { deep(5); r.end(JSON.stringify(q.headers)); });
let done = 0;
const next = () => http.get({socketPath: './node.sock'}, r => r.resume().on('end', () => ++done < 300 ? next() : server.close()));
server.listen('./node.sock', next);
END

cat >Deep.java <<'END'
import java.io.*;
public class Deep {
	static int deep(OutputStream out, int n) throws IOException { if (n > 0) return deep(out, n - 1) + 1; out.write(1); return 0; }
	public static void main(String[] a) throws Exception {
		try (OutputStream out = new FileOutputStream("/dev/null")) {
			for (int i = 0; i < 20000; i++) deep(out, i % 20);
		}
		for (int i = 0; i < 50000; i++) a = new String[1000];
		System.gc();
	}
}
END

verify redis 'redis-server redis-benchmark' bash redis.sh
verify nginx 'nginx curl' bash nginx.sh
verify node node node server.js
verify java 'java javac' java Deep.java
verify git git git -C "$(dirname "$build")" log -p -n 50
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
