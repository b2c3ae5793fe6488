#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that everybody has do the same with the library as without: output, errors, status and
# the files they make, with the default groups, with all, and with what `scprof run -g all,alloc`
# preloads besides. About a second each; no network but loopback.
# Usage: scripts/agreement.sh BUILD [PATTERN], PATTERN of names. Ends with "N passed, N failed".
set -uo pipefail
build=$(realpath "${1:?usage: scripts/agreement.sh BUILD [PATTERN]}")
"$(dirname "$0")/setup.sh" --tests --long || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
only=${2:-*}
passed=0 failed=0

# Name | what bash does in an empty folder. Nothing may depend on the time or on a process's number.
programs=$(
	cat <<'TABLE'
perl | perl -MIO::Socket::INET -MSocket -e '$s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1"); unless (fork) { $c = $s->accept; while (<$c>) { print $c uc } exit 3 } $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $s->sockport); for (1 .. 300) { print $c "line $_\n"; print scalar <$c> } close $c; wait; print $? >> 8, "\n"; die "done"'
perl pipes | perl -e 'open $p, "-|", "seq 20000 | sort -r | head -n 50" or die; print while <$p>; close $p; printf "%d\n", $?; print `printenv HOME`; exec "sh", "-c", "exit 7"'
ruby | ruby -rsocket -e 's = TCPServer.new("127.0.0.1", 0); t = Thread.new { c = s.accept; while l = c.gets; c.puts l.chomp.reverse; end; c.close }; c = TCPSocket.new("127.0.0.1", s.addr[1]); 300.times { |i| c.puts "line #{i}"; puts c.gets }; c.close; t.join; puts `echo back; exit 4`, $?.exitstatus; r, w = IO.pipe; fork { w.write "x" * 70000; exit! 5 }; w.close; puts r.read.size; Process.wait; puts $?.exitstatus; abort "done"'
php | php -r '[$a, $b] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0); for ($i = 0; $i < 500; $i++) { fwrite($a, "line $i\n"); echo fgets($b); } $p = proc_open("cat; exit 6", [["pipe", "r"], ["pipe", "w"]], $f); fwrite($f[0], str_repeat("x", 5000)); fclose($f[0]); echo strlen(stream_get_contents($f[1])), "\n", proc_close($p), "\n"; file_put_contents("made", serialize(range(1, 5000))); exit(9);'
python | python3 -c 'import asyncio, subprocess, sys, hashlib; exec("async def echo(r, w):\n while d := await r.readline(): w.write(d.upper()); await w.drain()\n w.close()\nasync def main():\n s = await asyncio.start_server(echo, \"127.0.0.1\", 0); p = s.sockets[0].getsockname()[1]; r, w = await asyncio.open_connection(\"127.0.0.1\", p)\n for i in range(300): w.write(b\"line %d\\n\" % i); print(await r.readline())\n w.close(); s.close()"); asyncio.run(main()); print(subprocess.run(["sh", "-c", "cat; exit 3"], input=b"x" * 70000, stdout=-1).returncode); sys.exit("done")'
tcl | echo 'set s [socket -server {apply {{c args} {fconfigure $c -buffering line; fileevent $c readable [list apply {{c} {if {[gets $c l] < 0} {close $c} else {puts $c [string toupper $l]}}} $c]}}} -myaddr 127.0.0.1 0]; set c [socket 127.0.0.1 [lindex [fconfigure $s -sockname] 2]]; fconfigure $c -buffering line; fileevent $c readable {puts [gets $c]; if {[incr n] == 300} {set done 1}}; for {set i 0} {$i < 300} {incr i} {puts $c "line $i"}; vwait done; puts [exec sort << "b\na"]; exit 5' >script && tclsh script
gawk | seq 5000 | gawk '{ s += $1; print s | "sort -r | head -n 40" } END { close("sort -r | head -n 40"); "echo from a pipe" | getline l; print l; print system("exit 3"); print "co" |& "cat"; close("cat", "to"); "cat" |& getline c; print c; exit 8 }'
git | export GIT_AUTHOR_DATE=2001-01-01T00:00:00Z GIT_COMMITTER_DATE=2001-01-01T00:00:00Z GIT_CONFIG_GLOBAL=/dev/null; git init -q a && cd a && git config user.name N && git config user.email e && seq 3000 >f && git add f && git commit -qm one && git checkout -qb side && sed -i s/7/seven/ f && git commit -qam two && git rev-parse HEAD && git diff --stat HEAD~ && cd .. && git clone -q "file://$PWD/a" b && cd b && git log --format=%H%s && git fsck --full && git gc -q && git merge --no-edit nothing
gcc | printf '#include <stdio.h>\nint main(void) { return printf("%%d\\n", 6 * 7); }\n' >a.c && gcc -O2 -flto -pipe -o a a.c && ./a && sha256sum a; g++ -x c++ -std=c++17 -c -o b.o - <<'C' && nm -C b.o
#include <map>
#include <string>
std::map<std::string, int> m; int f(std::string s) { return ++m[s]; }
C
make | printf 'all: one two three\n%%:\n\t@sh -c "echo $@; exit 0" >$@; cat $@\nbad:\n\t@exit 3\n' >Makefile; make -j1; make -j4 -O >/dev/null; make bad
rsync | mkdir a && seq 20000 >a/big && mkdir a/deep && cp a/big a/deep/copy && ln -s big a/link && rsync -a a/ b/ && diff -r a b && seq 2 2 20000 >>a/big && rsync -a --no-whole-file --checksum --itemize-changes --delete a/ b/ | sed 's/^\(.\{4\}\)./\1/' && diff -r a b; rsync -a nothing b; echo $?
sqlite3 | (echo 'PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);'; seq 2000 | sed "s/.*/INSERT INTO t (b) VALUES ('row &');/"; echo 'SELECT count(*), sum(a), max(b) FROM t; PRAGMA integrity_check; SELECT nothing FROM t;') | sqlite3 a.db; echo $?; sqlite3 a.db .dump | sha256sum
openssl | openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout k -out c 2>/dev/null && seq 5000 >m && openssl dgst -sha256 -sign k -out s m && openssl x509 -in c -pubkey -noout >p && openssl dgst -sha256 -verify p -signature s m && rm k c s p; openssl enc -aes-256-cbc -nosalt -pass pass:x -pbkdf2 -in m | sha256sum; openssl x509 -in nothing 2>/dev/null; echo $?
tar | mkdir a && seq 30000 >a/b && tar -c --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner a | gzip -n | tee t.gz | sha256sum && mkdir c && tar -xzf t.gz -C c && diff -r a c/a && tar -xf nothing
bash | coproc C { while read -r l; do echo "got $l"; done; }; for i in {1..200}; do echo $i >&${C[1]}; read -r r <&${C[0]}; echo "$r"; done; diff <(seq 10) <(seq 9); exec 5<>/dev/null; trap 'echo ended' EXIT; { (kill -USR1 $BASHPID); } 2>/dev/null; echo $?; exit 12
curl | printf '#!/bin/sh\n' >x; : >port; (python3 -u -m http.server --bind 127.0.0.1 0 >port 2>/dev/null & echo $! >pid); while ! grep -q 'port [0-9]' port; do :; done; p=$(sed 's/.*port \([0-9]*\).*/\1/' port); curl -s "http://127.0.0.1:$p/x"; curl -s -o /dev/null -w '%{http_code} %{size_download}\n' "http://127.0.0.1:$p/nothing"; kill "$(cat pid)"; rm port pid; curl -s ftp://127.0.0.1:1/; echo $?
TABLE
)

# What NAME's command does, under the words given after it, into $work/KIND.
observe()
{
	local kind=$1 command=$2
	shift 2
	rm -rf "${work:?}/folder" "${work:?}/$kind"
	mkdir -p "$work/folder" "$work/$kind" "$work/profiles"
	(cd "$work/folder" && HOME=/nowhere timeout -k 5 120 "$@" bash -c "$command") \
		>"$work/$kind/out" 2>"$work/$kind/err" </dev/null
	echo "status $?" >"$work/$kind/status"
	sed -i '/^scprof: /d; /^        /d' "$work/$kind/err" # what scprof itself says
	(cd "$work/folder" && find . -path '*/.git/*' -prune -o -type f ! -name '*.db*' -print0 | sort -z | xargs -0r sha256sum) \
		>"$work/$kind/files"
}

# judge NAME KIND: the profiles are there and can be read, and what was observed is the same.
judge()
{
	local what="$1, $2" count
	count=$(find "$work/profiles" -name '*.scp' | wc -l)
	if diff -r "$work/plain" "$work/$2" >"$work/differ" && [ "$count" -gt 0 ] &&
		find "$work/profiles" -name '*.scp' -print0 |
		xargs -0 "$build/scprof" report --by function >"$work/report" 2>"$work/differ"; then
		echo "ok   $what ($count profiles)"
		passed=$((passed + 1))
	else
		echo "FAIL $what ($count profiles)"
		head -n 20 "$work/differ"
		failed=$((failed + 1))
	fi
	rm -rf "$work/profiles"
}

# agree NAME COMMAND
agree()
{
	local name=$1 command=$2 groups preload="LD_PRELOAD=$build/libscprof.so SCPROF_OUT=$work/profiles"
	# shellcheck disable=SC2053 # a pattern is meant
	[[ $name == $only ]] || return 0
	observe plain "$command" env
	for groups in default all; do
		# shellcheck disable=SC2086 # words
		observe "$groups" "$command" env $preload SCPROF_GROUPS="${groups#default}"
		judge "$name" "$groups"
	done
	observe run "$command" "$build/scprof" run --no-report -g all,alloc -o "$work/profiles/x.scp" --
	judge "$name" run
}

name='' command=''
while IFS= read -r line; do
	if [[ $line =~ ^([a-z0-9\ ]+)\ \|\ (.*)$ ]]; then
		[ -z "$name" ] || agree "$name" "$command"
		name=${BASH_REMATCH[1]} command=${BASH_REMATCH[2]}
	else
		command+=$'\n'$line
	fi
done <<<"$programs"
agree "$name" "$command"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
