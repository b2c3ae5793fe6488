#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# strace watches the same run that scprof records. For every function of ours
# the counts must be equal: strace's of the system call, on sockets only where
# the call works on files too, and the profile's.

load ../common

setup()
{
	common_setup
	server=
}

teardown()
{
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
}

# System calls, and the functions of the profile that make each. Exceptions, by
# name: close is left out (the C library closes sockets of its own, inside
# fclose and the resolver); connects to the name service's cache daemon are the
# C library's own too, from within getaddrinfo and getpwuid.
pairs='
sendto send sendto
recvfrom recv recvfrom
sendmsg sendmsg
recvmsg recvmsg
read read
write write
readv readv
writev writev
connect connect
accept accept
accept4 accept4
poll poll
ppoll ppoll
pselect6 select pselect
epoll_wait epoll_wait
shutdown shutdown
'

# What strace saw of one system call. It names sockets by "-yy"; calls of
# libscprof.so's own would show here as a difference.
seen_by_strace()
{
	case $1 in
	poll | ppoll | epoll_wait) grep -cE "^[0-9]+ +$1\(" trace || true ;;
	pselect6) grep -cE "^[0-9]+ +p?select6?\(" trace || true ;; # as libc makes it
	*) grep -E "^[0-9]+ +$1\([0-9]+<(socket|\(null\)|TCP|UDP|UNIX|NETLINK|TCPv6|UDPv6|RAW|PACKET)" trace | grep -cv nscd || true ;;
	esac
}

# agreement COMMAND...
agreement()
{
	local call functions seen recorded bad=0 total=0
	limited strace -f -qq -yy -o trace -s 32 -e signal=none \
		-E LD_PRELOAD="$LIB" -E SCPROF_OUT="$T/out" -E SCPROF_GROUPS=socket,wait "$@" >run.out 2>run.err </dev/null
	make_report || return 1
	[ "$(jq '.skipped_calls + .overflow_calls' report.json)" = 0 ]
	jq -r '.sites[] | "\(.symbol) \(.calls)"' report.json >recorded
	while read -r call functions; do
		[ -n "$call" ] || continue
		recorded=$(awk -v functions=" $functions " 'index(functions, " " $1 " ") { n += $2 } END { print n + 0 }' recorded)
		seen=$(seen_by_strace "$call")
		total=$((total + seen))
		[ "$seen" = "$recorded" ] || {
			echo "$call: strace saw $seen, the profile has $recorded ($functions)"
			bad=1
		}
	done <<<"$pairs"
	[ $bad = 0 ] && [ $total -gt 0 ]
}

wait_for_port()
{
	await [ -s port ]
}

start_http_server()
{
	head -c 3000000 /dev/zero >big
	echo hello >small
	python3 - >port 2>server.err 3>&- <<-'PYTHON' &
	import functools, http.server, signal, sys
	signal.alarm(600)
	class Quiet(http.server.SimpleHTTPRequestHandler):
	    protocol_version = "HTTP/1.1"
	    def log_message(self, *args): pass
	server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
	print(server.server_address[1], flush=True)
	server.serve_forever()
	PYTHON
	server=$!
	wait_for_port
}

@test "strace 01: echo_pair, call by call" {
	agreement "$EXAMPLES/echo_pair" 500 1000
	[ "$(cat run.out)" = "500 rounds of 1000 bytes" ]
	[ "$(calls_of send)" = 1001 ]
	[ "$(calls_of recv)" = 1002 ]
	[ "$(calls_of poll)" = 500 ]
	[ "$(jq '[.sites[] | select(.symbol == "recv" and .outcome != "completed") | .calls] | add' report.json)" = 1 ]
	[ "$(jq '[.sites[] | select(.symbol == "send" and .outcome == "error") | .calls] | add' report.json)" = 1 ]
}

@test "strace 02: bytes of echo_pair are the bytes it moved" {
	agreement "$EXAMPLES/echo_pair" 300 777
	[ "$(jq '[.sites[] | select(.symbol == "send") | .bytes] | add' report.json)" = $((2 * 300 * 777)) ]
	[ "$(jq '[.sites[] | select(.symbol == "recv") | .bytes] | add' report.json)" = $((2 * 300 * 777)) ]
}

@test "strace 03: curl fetching files from a local server" {
	start_http_server
	agreement curl -sS --max-time 120 -o got "http://127.0.0.1:$(cat port)/big" \
		-o got2 "http://127.0.0.1:$(cat port)/small"
	cmp big got
	cmp small got2
}

@test "strace 04: a Python program with sockets, threads and a would-block" {
	cat >program.py <<-'PYTHON'
	import select, socket, threading
	listener = socket.create_server(("127.0.0.1", 0))
	def serve():
	    peer, _ = listener.accept()
	    with peer:
	        while data := peer.recv(4096):
	            peer.sendall(data)
	thread = threading.Thread(target=serve)
	thread.start()
	with socket.create_connection(listener.getsockname()) as s:
	    for size in range(1, 200):
	        s.sendall(b"x" * size)
	        got = 0
	        while got < size:
	            select.select([s], [], [], 120)
	            got += len(s.recv(4096))
	    s.setblocking(False)
	    try:
	        s.recv(1)
	    except BlockingIOError:
	        pass
	    a, b = socket.socketpair()
	    a.sendmsg([b"one", b"two"])
	    print(b.recvmsg(10)[0])
	    s.shutdown(socket.SHUT_WR)
	thread.join()
	PYTHON
	agreement python3 program.py
	[ "$(cat run.out)" = "b'onetwo'" ]
}

@test "strace 05: threads that share descriptors" {
	agreement env EXPECT="$T/none" "$PROGRAMS/many_threads" 200
}
