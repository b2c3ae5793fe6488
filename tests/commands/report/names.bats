#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Names of frames, with files as people have them: stripped, with debug information
# apart, behind a server, deleted, replaced, in another root, generated.

load ../common

# app: main < outer < middle (inlined) < send in C; and through libgate.so, whose
# gate_open is exported and calls the hidden gate_inner, which sends.
make_sources()
{
	cat >app.c <<-'END'
		#include <sys/socket.h>
		#include <unistd.h>
		int gate_open(int fd);
		static int fd[2];
		__attribute__((always_inline)) static inline int middle(void)
		{
		        return send(fd[0], "x", 1, 0) == 1; /* line 7 */
		}
		__attribute__((noinline)) static int outer(void)
		{
		        return middle() + 1; /* line 11 */
		}
		int main(int argc, char **argv)
		{
		        int sum = 0;
		        (void)argv;
		        if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
		                return 1;
		        for (int i = 0; i < 20; i++)
		                sum += outer() + gate_open(fd[0]);
		        if (argc > 1)
		                sleep(600);
		        return sum != 80;
		}
	END
	cat >gate.c <<-'END'
		#include <sys/socket.h>
		__attribute__((noinline)) static int gate_inner(int fd)
		{
		        return (send(fd, "y", 1, 0) == 1) + 0 * fd; /* line 4 */
		}
		__attribute__((visibility("default"))) int gate_open(int fd)
		{
		        return 1 + gate_inner(fd); /* line 8 */
		}
	END
}

# compile [FLAG...]
compile()
{
	cc -O2 -g -fPIC -shared -fvisibility=hidden "$@" -o libgate.so gate.c
	cc -O2 -g "$@" -o app app.c -L. -lgate -Wl,-rpath,'$ORIGIN'
}

# Most tests begin with the same program.
setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return 1
	make_sources
	compile
}

build()
{
	cp "$BATS_FILE_TMPDIR"/{app,libgate.so} .
}

setup()
{
	common_setup
	unset DEBUGINFOD_URLS SCPROF_DEBUG_PATH
	export DEBUGINFOD_CACHE_PATH=$T/cache
}

profile()
{
	"$SCPROF" run -o app.scp --no-report -- ./app
}

report()
{
	"$SCPROF" report --format json -o report.json app.scp
}

text()
{
	"$SCPROF" report --full --top 0 --frames 9 app.scp >report.txt
}

id_of()
{
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# strip_into DEBUG FILE: FILE loses all but what it exports; DEBUG gets it.
strip_into()
{
	objcopy --only-keep-debug "$2" "$1"
	strip "$2"
}

# keep_apart DIRECTORY FILE: debug information where debuggers look by build-id.
keep_apart()
{
	local id
	id=$(id_of "$2")
	mkdir -p "$1/.build-id/${id:0:2}"
	strip_into "$1/.build-id/${id:0:2}/${id:2}.debug" "$2"
}

# has FUNCTION FILE LINE NAME_FROM: some frame of the report is so.
has()
{
	jq -e --arg f "$1" --arg file "$2" --argjson line "$3" --arg from "$4" \
		'[.sites[].stack[] | select(.function == $f and ((.file // "") | endswith($file)) and
		.line == $line and .name_from == $from)] | length > 0' report.json >/dev/null || {
		echo "no frame $*"
		jq -c '.sites[0:3][].stack[0:3]' report.json
		return 1
	}
}

# One jq for all: to begin takes it longer than what is asked.
knows_all()
{
	report
	SHOWN='.sites[0:3][].stack[0:3], .warnings' holds '[.sites[].stack[]] as $frames |
		([["middle", "app.c", 7], ["outer", "app.c", 11], ["gate_inner", "gate.c", 4], ["gate_open", "gate.c", 8]] | all(. as [$name, $file, $line] |
			any($frames[]; .function == $name and ((.file // "") | endswith($file)) and .line == $line and .name_from == "debug-info"))) and
		any($frames[]; .inlined) and
		([.warnings[].code] | any(. == "missing-module") | not)'
}

knows_nothing()
{
	report
	SHOWN='.sites[0:3][].stack[0:3]' holds '([.sites[].stack[].function] | any(. == "outer" or . == "gate_inner") | not) and
		([.sites[].stack[].file // ""] | any(endswith("app.c") or endswith("gate.c")) | not)'
}

@test "debug information in the file: inlined functions and lines" {
	build
	profile
	knows_all
}

@test "a stripped file: only what it exports has a name, and is shown as such" {
	build
	strip app libgate.so
	profile
	knows_nothing
	has gate_open "" null dynamic-symbols
	text
	grep -q 'gate_open (libgate.so, stripped)' report.txt
	grep -q 'libgate.so+0x' report.txt
}

@test "a file with symbols and no debug information: all names, not shown as stripped" {
	build
	strip --strip-debug app libgate.so
	profile
	report
	has gate_inner "" null symbol-table
	has outer "" null symbol-table
	text
	[ "$(grep -c 'libgate.so, stripped' report.txt)" = 0 ]
}

@test "split debug information by build-id" {
	build
	keep_apart "$T/debug" app
	keep_apart "$T/debug" libgate.so
	profile
	knows_nothing
	SCPROF_DEBUG_PATH=$T/none:$T/debug knows_all
}

# In a namespace of its own, where the system's directory is this test's.
@test "split debug information in /usr/lib/debug/.build-id" {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	[ -d /usr/lib/debug ] || skip "no /usr/lib/debug"
	build
	keep_apart "$T/debug" app
	keep_apart "$T/debug" libgate.so
	profile
	unshare -m sh -c 'mount --bind "$1/debug" /usr/lib/debug && exec "$2" report --format json -o system.json app.scp' \
		sh "$T" "$SCPROF"
	knows_nothing
	mv system.json report.json
	has middle app.c 7 debug-info
	has gate_inner gate.c 4 debug-info
}

@test "split debug information by .gnu_debuglink, checked by its CRC" {
	make_sources
	compile -Wl,--build-id=none
	mkdir .debug
	strip_into .debug/app.debug app
	strip_into .debug/libgate.debug libgate.so
	objcopy --add-gnu-debuglink=.debug/app.debug app
	objcopy --add-gnu-debuglink=.debug/libgate.debug libgate.so
	profile
	knows_all
	# What changed since is another build's.
	echo >>.debug/app.debug
	echo >>.debug/libgate.debug
	knows_nothing
}

# serve: what debuginfod serves, from plain files under www.
serve()
{
	cat >server.py <<-'END'
		import http.server, functools
		handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="www")
		with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
		    open("port.new", "w").write(str(server.server_port))
		    import os
		    os.rename("port.new", "port")
		    server.serve_forever()
	END
	/usr/bin/python3 server.py >server.log 2>&1 3>&- &
	SERVER=$!
	await [ -e port ]
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)
	export DEBUGINFOD_URLS
}

teardown()
{
	[ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null || true
	[ -z "${SLEEPER:-}" ] || kill "$SLEEPER" 2>/dev/null || true
	[ -z "${MAP:-}" ] || rm -f "$MAP"
	[ -z "${ELSEWHERE:-}" ] || rm -rf "$ELSEWHERE"
}

@test "debuginfod: debug information of stripped files, and of files that are gone" {
	local file
	ldconfig -p | grep -q 'libdebuginfod\.so\.1 ' || skip "no libdebuginfod"
	build
	profile
	for file in app libgate.so; do
		mkdir -p "www/buildid/$(id_of $file)"
		strip_into "www/buildid/$(id_of $file)/debuginfo" $file
	done
	knows_nothing
	serve
	knows_all
	rm -r cache app libgate.so
	knows_all
	[ "$(grep -c 'GET /buildid/.*/debuginfo.* 200' server.log)" -ge 4 ]
	# Without the variable nobody is asked.
	rm -r cache
	: >server.log
	unset DEBUGINFOD_URLS
	knows_nothing
	[ ! -s server.log ]
}

@test "debuginfod: an answer of another build is not used" {
	ldconfig -p | grep -q 'libdebuginfod\.so\.1 ' || skip "no libdebuginfod"
	build
	profile
	mkdir -p "www/buildid/$(id_of app)"
	cp libgate.so "www/buildid/$(id_of app)/debuginfo"
	rm app
	serve
	report
	grep -q 'GET /buildid/.*/debuginfo.* 200' server.log
	jq -e '[.sites[].stack[] | select(.module // "" | endswith("/app")) | .function] | all(. == null)' report.json
	jq -e '.warnings[] | select(.code == "missing-module") | .text | contains("servers of DEBUGINFOD_URLS gave no such file")' report.json
}

@test "deleted files: said, and found again by their build-id" {
	build
	profile
	mkdir -p kept/deep
	mv app kept/renamed-later
	mv libgate.so kept/libgate.so
	knows_nothing
	[ "$(jq '[.warnings[] | select(.code == "missing-module")] | length' report.json)" = 2 ]
	text
	grep -q 'SCPROF_DEBUG_PATH' report.txt
	mv kept/renamed-later kept/app
	SCPROF_DEBUG_PATH=$T/kept knows_all
}

@test "replaced files: the mismatch is said, and the right build found elsewhere" {
	build
	profile
	mkdir kept
	mv app libgate.so kept
	make_sources
	sed -i 's/"x"/"z"/' app.c
	sed -i 's/"y"/"z"/' gate.c
	compile
	knows_nothing
	[ "$(jq '[.warnings[] | select(.code == "missing-module")] | length' report.json)" = 2 ]
	SCPROF_DEBUG_PATH=$T/kept knows_all
}

@test "a root directory elsewhere, as a container's" {
	build
	profile
	mkdir -p "root/$T"
	mv app libgate.so "root/$T"
	SCPROF_DEBUG_PATH=$T/root knows_all
}

# All 40 calls are in the profile of the program, which goes on.
calls_are_there()
{
	cp "$T"/out/scprof.app.*.scp app.scp && "$SCPROF" report --format json app.scp >report.json &&
		jq -e '.totals.calls >= 40' report.json
} >/dev/null 2>&1

# The files lie on a file system that only the program's namespace has.
@test "a running program in another mount namespace" {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	build
	mkdir inside
	LD_PRELOAD=$LIB SCPROF_OUT=$T/out unshare -m sh -c '
		mount -t tmpfs none inside && cp app libgate.so inside && rm app libgate.so &&
		cd inside && exec ./app wait' 3>&- 4>&- &
	SLEEPER=$!
	await calls_are_there
	[ ! -e inside/app ]
	knows_all
	kill "$SLEEPER"
	wait "$SLEEPER" || true
	SLEEPER=
	knows_nothing
}

@test "generated code: names from perf's map, the latest for an address" {
	[ "$(uname -m)" = x86_64 ] || skip "the program makes code for x86-64"
	LD_PRELOAD=$LIB SCPROF_OUT=$T/out sh -c 'MAP=/tmp/perf-$$.map; echo "$MAP" >map; exec "$1" "$MAP"' \
		sh "$PROGRAMS/generated" 3>&- 4>&-
	MAP=$(cat map)
	cp "$T"/out/scprof.generated.*.scp app.scp
	report
	jq -e --arg map "$MAP" '.sites[] | select(.symbol == "send") | .stack[0] |
		.function == "JIT::\"made\" at runtime;" and .name_from == "perf-map" and
		.module == $map and .function_offset == 13' report.json
	text
	grep -q "JIT::\"made\" at runtime; (${MAP##*/})" report.txt
	# Left by an earlier process of that number.
	touch -d 2001-01-01 "$MAP"
	report
	jq -e '.sites[] | select(.symbol == "send") | .stack[0] | .function == null and .module == null' report.json
	jq -e '[.warnings[].code] | index("names-left-out") != null' report.json
	# It must belong to the owner of the profile: root, who reads, can read more than others.
	touch "$MAP"
	chmod 600 "$MAP"
	report
	jq -e '.sites[] | select(.symbol == "send") | .stack[0].name_from == "perf-map"' report.json
	if [ "$(id -u)" = 0 ]; then
		chown 65534 app.scp
		report
		jq -e '.sites[] | select(.symbol == "send") | .stack[0].function == null' report.json
		jq -e '[.warnings[] | select(.code == "names-left-out") | .text | contains(" was not used. ")] == [true]' report.json
		chown 65534 "$MAP"
		report
		jq -e '.sites[] | select(.symbol == "send") | .stack[0].name_from == "perf-map"' report.json
		chown 0 app.scp
		report
		jq -e '.sites[] | select(.symbol == "send") | .stack[0].function == null' report.json
	fi
	rm "$MAP"
	report
	jq -e '[.warnings[].code] | index("names-left-out") == null' report.json
}

# What another user left where debug information of root's own file is looked for.
@test "a debug link that leads to a pipe of another user: root's report ends, without the names" {
	[ "$(id -u)" = 0 ] || skip 'only root can become somebody else'
	ELSEWHERE=$(mktemp -d) # where somebody else can go
	chmod 755 "$ELSEWHERE"
	build
	profile
	strip libgate.so
	objcopy --add-gnu-debuglink=app libgate.so
	mkdir real
	mv libgate.so real
	chown 65534 "$ELSEWHERE"
	other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	other mkdir "$ELSEWHERE/.debug"
	other mkfifo "$ELSEWHERE/.debug/app" "$ELSEWHERE/app"
	other ln -s "$T/real/libgate.so" "$ELSEWHERE/libgate.so"
	ln -s "$ELSEWHERE/libgate.so" libgate.so
	ln -s "$ELSEWHERE/.debug" .debug
	chown 65534 app.scp
	limited "$SCPROF" report --format json -o report.json app.scp
	jq -e '[.sites[].stack[].function] | any(. == "gate_inner") | not' report.json
	has gate_open "" null dynamic-symbols
}

@test "files beyond what is read for one profile: names are left out, which all formats say" {
	build
	profile
	cp app whole
	strip --strip-debug -o smaller app
	/usr/bin/python3 - app <<-'END'
		import struct, sys
		with open(sys.argv[1], "r+b") as f:
		    image = f.read()
		    at, = struct.unpack_from("<Q", image, 40)
		    number, names = struct.unpack_from("<HH", image, 60)
		    text, = struct.unpack_from("<Q", image, at + 64 * names + 24)
		    for i in range(number):
		        name, = struct.unpack_from("<L", image, at + 64 * i)
		        if image[text + name:].startswith(b".comment\0"):
		            f.seek(at + 64 * i + 32)
		            f.write(struct.pack("<Q", 2 << 30))
		    f.truncate(3 << 30)
	END
	report
	jq -e '[.sites[].stack[].function] | any(. == "outer" or . == "middle") | not' report.json
	has gate_inner gate.c 4 debug-info
	[ "$(jq '[.warnings[] | select(.code == "names-left-out")] | length' report.json)" = 1 ]
	jq -e '[.warnings[].code] | index("missing-module") == null' report.json
	text
	grep -q 'Names or lines were left out' report.txt
	"$SCPROF" report --format html -o report.html app.scp
	grep -q 'Names or lines were left out' report.html
	# What the warning says to do.
	mkdir small
	cp smaller small/app
	SCPROF_DEBUG_PATH=$T/small report
	has outer "" null symbol-table
}

@test "root opens only root's files for another user's profile, and says so" {
	[ "$(id -u)" = 0 ] || skip 'only root can make files of somebody else'
	build
	profile
	chown 65534 app
	report # root's own profile: all files count
	has outer app.c 11 debug-info
	chown 65534 app.scp
	report
	jq -e '[.sites[].stack[].function] | any(. == "outer" or . == "middle") | not' report.json
	has gate_inner gate.c 4 debug-info
	jq -e '[.warnings[] | select(.code == "missing-module") | .text] |
		length == 1 and (.[0] | contains("/app was not opened"))' report.json
	"$SCPROF" top --batch --pictures 1 --paths --width 200 app.scp >top.txt
	grep gate_inner top.txt
	[ "$(grep -cE 'outer|middle' top.txt)" = 0 ]
}

@test "files larger than a file may be (ulimit -f): the report ends, says so, and has other names" {
	build
	profile
	strip --strip-debug libgate.so
	truncate -s 1M app
	(
		ulimit -f 512
		"$SCPROF" report --full --top 0 --frames 9 app.scp
		echo "status $?"
	) | cat >report.txt
	grep -q '^status 0$' report.txt
	grep -q 'Names or lines were left out' report.txt
	grep -q 'gate_inner (libgate.so)' report.txt
	[ "$(grep -c outer report.txt)" = 0 ]
}
