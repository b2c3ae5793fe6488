#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Chosen symbols: `scprof run -s`. What a program does must be the same with its functions
# chosen, however they are called, left and linked; and each call must be on record.
# about 22 s

# shellcheck disable=SC2317,SC2030,SC2031 # functions of common.bash call ours; each test is a subshell

bats_require_minimum_version 1.5.0
load ../common
load selected

setup()
{
	common_setup
	[[ $(uname -m) =~ ^(x86_64|aarch64)$ ]] || skip "chosen symbols need x86-64 or AArch64"
}

# functions: what the run's profile has, with the number of calls.
functions()
{
	"$SCPROF" report --together --format json --by function "$T/out/p.scp" |
		jq -r '.sites | group_by(.symbol)[] | "\(.[0].symbol) \(map(.calls) | add)"' | sort
}

# In each way of linking. Paths with their symbols are looked at once.
chosen_each()
{
	local kind
	for kind in lazy now; do
		REPORT='--by function' chosen "$1" "$PROGRAMS/chosen_$kind" "${@:2}" || return 1
	done
	chosen "$1" "$PROGRAMS/chosen_nopie" "${@:2}"
}

# refuses TEXT COMMAND...: status 125, TEXT on standard error, and the command does not run.
refuses()
{
	local status=0
	rm -f started
	"$SCPROF" run "${@:2}" sh -c 'touch started' >out.txt 2>err.txt || status=$?
	[ $status = 125 ] && [ ! -e started ] && grep -qF -- "$1" err.txt && return
	echo "status $status:"
	cat err.txt
	return 1
}

@test "symbols 01: arguments and results of every kind" {
	chosen_each 'chosen_lib:*' arguments 40
}

@test "symbols 02: vectors of 256 and 512 bits, in registers and on the stack" {
	chosen_each 'chosen_lib:*' vectors 40
}

@test "symbols 03: callbacks into the program, and recursion" {
	chosen_each 'chosen_lib:*,qsort' callbacks 40
}

@test "symbols 04: left by longjmp" {
	chosen_each call_back jumps 20
	holds '.abandoned_calls == 20'
}

@test "symbols 05: a thread ends inside, by pthread_exit and by cancellation" {
	chosen_each call_back threads 6
}

@test "symbols 06: every function of libc and of the program's libraries at once" {
	chosen_each '*' arguments 10
	REPORT='--by function' chosen '*' "$PROGRAMS/chosen_now" callbacks 10
	REPORT='--by function' chosen '*' "$PROGRAMS/chosen_lazy" threads 6
	jq -e '[.sites[].symbol] | contains(["vsnprintf"])' report.json
}

@test "symbols 07: C++ methods by demangled names; exceptions are an outcome" {
	SYMBOLS='chosen::Counter::*'
	same_either_way "$PROGRAMS/chosen_cxx"
	make_report --by function
	holds 'def calls($f; $o): [.sites[] | select(.symbol == "chosen::Counter::" + $f and .outcome == $o) | .calls] | add;
		[calls("add(int)"; "completed", "exception"), calls("add(char const*, int)"; "exception"),
		calls("visit(int (*)(int), int)"; "completed", "exception"), .abandoned_calls // 0] == [15, 25, 5, 3, 7, 0]'
	SYMBOLS='chosen::Counter::add(int)'
	same_either_way "$PROGRAMS/chosen_cxx"
	make_report --by function
	[ "$(jq '[.sites[].calls] | add' report.json)" = 40 ]
	SYMBOLS='libstdc++*:*,*'
	same_either_way "$PROGRAMS/chosen_cxx"
}

@test "symbols 08: plugins opened later, each with its own function of the same name" {
	chosen "$PROGRAMS/chosen_late_a.so:late_function" "$PROGRAMS/chosen_late" "$PROGRAMS"
	chosen "*,$PROGRAMS/chosen_late_a.so:*" "$PROGRAMS/chosen_late" "$PROGRAMS"
}

@test "symbols 09: calls, calls inside calls, gaps: every clock unit is accounted for" {
	chosen_each 'chosen_lib:*,qsort' callbacks 40
	holds 'all(.threads[]; .remainder_ns == 0)' '.totals.nested_ns > 0'
}

@test "symbols 10: the page clock, the monotonic clock, two clocks" {
	local REPORT='--by function' kind
	# The way of linking says how a call comes to its stub, the clock what that reads: each is seen with another.
	for kind in page:lazy monotonic:now dual:nopie coarse:now; do
		CLOCK=${kind%:*}
		chosen 'chosen_lib:*,qsort' "$PROGRAMS/chosen_${kind#*:}" callbacks 10
		chosen 'chosen_lib:*' "$PROGRAMS/chosen_${kind#*:}" vectors 10
	done
}

@test "symbols 24: the page clock before its first tick" {
	export SCPROF_TICK=100ms
	REPORT='--by function' CLOCK=page chosen 'chosen_lib:*,qsort' "$PROGRAMS/chosen_lazy" callbacks 10
	holds '.totals.calls > 0 and .totals.time_ns < 3600e9'
}

@test "symbols 11: a name that matches nothing is an error before the program starts" {
	refuses "'strlne' matches no function" -s strlne
	refuses "'nosuch*' matches no function" -s 'strlen,nosuch*'
	refuses "'libnone:strlen' matches no function in a library of that name" -s libnone:strlen
	refuses 'chooses no function' -s '!strlen'
	refuses 'chooses no function' -s ''
	refuses 'cannot read the patterns' -s @nothing
	mkfifo fifo
	head -c 2000000 /dev/zero | tr '\0' '#' >long
	refuses 'not a regular file' -s @/dev/zero
	refuses 'not a regular file' -s @fifo
	refuses 'far too large' -s @long
}

@test "symbols 12: what cannot be called through is refused with the reason" {
	refuses 'setjmp cannot be chosen: it returns twice' -s strlen,setjmp
	refuses 'vfork cannot be chosen: it returns twice' -s vfork
	# a program that has it: older libc has it in a library of its own
	refuses 'dlopen cannot be chosen: it looks at its caller' -s dlopen "$PROGRAMS/chosen_late"
	refuses 'exit cannot be chosen: it never returns' -s exit
	refuses 'read cannot be chosen: scprof interposes it already' -s read
	refuses 'clock_gettime cannot be chosen: scprof itself calls it' -s clock_gettime
	refuses 'none of the functions that match can be chosen' -s 'setjm*'
}

@test "symbols 13: globs, libraries, negation, files" {
	list() { "$SCPROF" symbols "$PROGRAMS/chosen_now" "$@" | cut -f1 | sort -u | paste -sd' '; }
	[ "$(list 'a_f*')" = chosen_lib.so:a_float ]
	[ "$(list 'chosen_lib.so:a_*' '!a_*complex' '!*mm')" = \
		'chosen_lib.so:a_float chosen_lib.so:a_large chosen_lib.so:a_long_double chosen_lib.so:a_pair' ]
	[ "$(list 'chosen_lib:a_*,!*,a_pair')" = chosen_lib.so:a_pair ]
	printf '# of the list\nchosen_lib:two_*\n\n!nothing\n  sum_of # and this\n' >list.txt
	[ "$(list @list.txt)" = 'chosen_lib.so:sum_of chosen_lib.so:two_doubles' ]
	"$SCPROF" symbols "$PROGRAMS/chosen_now" versioned | grep -q '@CHOSEN_1$'
	[ "$("$SCPROF" symbols "$PROGRAMS/chosen_now" | grep -c '^chosen_lib.so:')" -gt 15 ]
	"$SCPROF" symbols "$PROGRAMS/chosen_now" >all.txt
	[ "$(grep -cE ':(setjmp|dlsym|read)$' all.txt)" = 0 ]
	"$SCPROF" symbols "$PROGRAMS/chosen_cxx" 'chosen::Counter::add*' >cxx.txt
	grep -q 'chosen::Counter::add(int)' cxx.txt
	[ "$(wc -l <cxx.txt)" = 2 ]
	local status=0
	"$SCPROF" symbols "$PROGRAMS/chosen_cxx" nosuch 2>err.txt || status=$?
	[ $status = 1 ]
}

@test "symbols 14: a stub object for a bare LD_PRELOAD" {
	"$SCPROF" symbols --stubs "$T/stubs.so" "$PROGRAMS/chosen_lazy" 'chosen_lib:*'
	LIB=$T/stubs.so:$LIB
	with_library() { limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/out" "$@" </dev/null 3>&- 4>&-; }
	unnoticed "$PROGRAMS/chosen_lazy" arguments 10
	# A child may have none of the libraries: dlsym then fails, and allocates, before
	# malloc is known.
	rm -f out/* stubs.so expect.*
	"$SCPROF" symbols --stubs "$T/stubs.so" "$PROGRAMS/chosen_cxx" 'libstdc++*:*,*'
	same_either_way "$PROGRAMS/chosen_lazy" arguments 10
	make_report --by function
	[ "$(calls_of vsnprintf)" -gt 10 ]
}

@test "symbols 15: SCPROF_SYMBOLS is the default of -s" {
	SCPROF_SYMBOLS=qsort "$SCPROF" run --no-report -o out/p.scp "$PROGRAMS/chosen_now" callbacks 5 \
		>/dev/null 2>&1 || [ $? = 3 ]
	make_report --by function
	[ "$(calls_of qsort)" = 5 ]
}

@test "symbols 17: zlib in Python, OpenSSL, SQLite: the same results" {
	if python3 -c 'import zlib' 2>/dev/null; then
		cat >z.py <<-'PY'
			import zlib
			d = b"hello scprof " * 5000
			print([zlib.crc32(zlib.compress(d + bytes([i]) * 100, 6)) for i in range(20)])
		PY
		SYMBOLS='libz.so*:*' same_either_way python3 z.py
	fi
	if command -v openssl >/dev/null; then
		head -c 300000 /dev/zero >zero
		SYMBOLS='libcrypto*:EVP_*' same_either_way openssl enc -aes-128-cbc -k x -pbkdf2 -nosalt -base64 -in zero
		make_report --by function
		[ "$(calls_of EVP_EncryptUpdate)" -gt 10 ]
	fi
	# in Python: SQLite's own shell may have all of it inside
	if python3 -c 'import sqlite3' 2>/dev/null; then
		cat >s.py <<-'PY'
			import sqlite3
			print(sqlite3.connect(":memory:").execute(
			    "with recursive c(x) as (select 1 union all select x+1 from c where x<2000)"
			    " select sum(x), max('text '||x) from c").fetchall())
		PY
		SYMBOLS='libsqlite3*:sqlite3_*,malloc,free' same_either_way python3 s.py
		make_report --by function
		[ "$(calls_of sqlite3_step)" -ge 2 ]
	fi
}

@test "symbols 18: ready-made groups choose what a library is used for" {
	cat >squash.py <<-'END'
		import zlib
		for i in range(40):
		    zlib.decompress(zlib.compress(b"x" * (1 + i)))
	END
	"$SCPROF" run --no-report -g zlib -o "$T/out/p.scp" -- /usr/bin/env python3 squash.py
	[ "$(functions | awk '$1 == "deflate" { print $2 }')" = 40 ]
	# not the default groups, and nothing else of the library
	run ! grep -qvE '^(deflate|inflate|crc32|adler32|compress2?|uncompress2?) ' <(functions)
	"$SCPROF" run --no-report -g zlib,socket -s '!deflate' -o "$T/out/q.scp" -- /usr/bin/env python3 squash.py
	mv "$T/out/q.scp" "$T/out/p.scp"
	functions | grep -q '^inflate 40$'
	run ! grep -q '^deflate ' <(functions)
}

@test "symbols 19: a group of which there is nothing is left out, or said where it is all" {
	"$SCPROF" run --no-report -g socket,libpq,ssl -s '!SSL_*,!gnutls_*,!PQ*' -o "$T/out/p.scp" -- true
	run "$SCPROF" run -g libpq -s '!PQ*' -- true
	[ "$status" = 125 ]
	[[ $output == *"-g libpq: neither the program nor this machine has"* ]]
	run "$SCPROF" run -g socket,nosuch -- true
	[ "$status" = 125 ]
	[[ $output == *"no group is called 'nosuch'. There are: "*"ssl, alloc, thread, zlib, sqlite, libpq"* ]]
	"$SCPROF" run --no-report -g ssl,ssl,ssl,ssl,ssl,ssl,ssl,alloc,thread,zlib,sqlite,libpq -o "$T/out/p.scp" -- true
}

@test "symbols 20: a whole program with its allocations and locks timed" {
	cat >threads.py <<-'END'
		import threading
		total = []
		threads = [threading.Thread(target=lambda: total.append(sum(range(1000)))) for i in range(10)]
		for t in threads: t.start()
		for t in threads: t.join()
		print(sum(total))
	END
	run "$SCPROF" run --no-report -g all,alloc,thread -o "$T/out/p.scp" -- /usr/bin/env python3 -I -S threads.py
	[ "$status" = 0 ]
	[[ $output == *4995000* ]]
	make_report --by function
	[ "$(calls_of malloc)" -gt 1000 ]
	holds '(.threads | length) > 0 and all(.threads[]; .remainder_ns == 0)'
}

@test "symbols 16: calls inside a call that longjmp leaves, on paths seen before" {
	for CLOCK in tsc page monotonic; do
		REPORT='--by function' chosen call_back,versioned "$PROGRAMS/chosen_now" left 50
		# the last of three in the outer call is not seen
		holds '.abandoned_calls == 150' 'all(.threads[]; .remainder_ns == 0)'
	done
}

@test "symbols 22: what a call costs is subtracted where a ready-made group is timed alone, too" {
	"$SCPROF" run --no-report -c tsc -g alloc -o "$T/out/p.scp" -- ls / >/dev/null
	make_report --by function
	jq -e '.sites | length > 0 and all(.[]; .overhead_ns > 0)' report.json
}

@test "symbols 23: a function that only older programs are bound to leaves no dlerror in the program" {
	echo 'OLD_1 { local: first_version; };' >map
	cat >old.c <<-'C'
		int first_version(int x) { return x + 1; }
		__asm__(".symver first_version, old_function@OLD_1"); /* one @: not the default */
	C
	cc -shared -fPIC -o libold.so old.c -Wl,--version-script=map,-soname,libold.so
	cat >main.c <<-'C'
		#include <dlfcn.h>
		#include <stdio.h>
		int first_version(int x);
		__asm__(".symver first_version, old_function@OLD_1");
		int main(void)
		{
			const char *error = dlerror();
			return printf("%d %s\n", first_version(1), error ? error : "no error") < 0;
		}
	C
	cc -o main main.c -L. -lold -Wl,-rpath,"$PWD" -ldl
	run --separate-stderr "$SCPROF" run --no-report -o "$T/out/p.scp" -s "$PWD/libold.so:old_function" -- ./main
	[ "$status" = 0 ]
	[ "$output" = "2 no error" ]
	[ "$(functions | awk '$1 == "old_function@OLD_1" { print $2 }')" = 1 ]
}

@test "symbols 25: of a library that is opened later nothing is read where a child begins: it may be closed meanwhile" {
	chosen "$PROGRAMS/chosen_late_a.so:late_function" "$PROGRAMS/hidden_name" "$PROGRAMS"
	[ "$("$SCPROF" report --format json --by function out/*.scp | jq -r '[.sites[] | select(.symbol == "late_function")][0].library')" = chosen_late_a.so ]
}

@test "symbols 26: a plugin's constructor waits for a thread that calls its function" {
	LIMIT=60 chosen "$PROGRAMS/waiting_plugin.so:awaited" "$PROGRAMS/waiting" "$PROGRAMS/waiting_plugin.so"
}

@test "symbols 27: exceptions are counted where the unwinder came with a plugin" {
	c++ -O1 -fPIC -shared -o libthrows.so -x c++ - <<-'CXX'
		extern "C" long even(long x) { if (x & 1) throw x; return x; }
		extern "C" int caught(long n)
		{
			int count = 0;
			while (n--)
				try { even(n); } catch (long) { count++; }
			return count;
		}
	CXX
	cc -o main -x c - -ldl <<-C
		#include <dlfcn.h>
		#include <stdio.h>
		int main(void)
		{
			void *plugin = dlopen("$PWD/libthrows.so", RTLD_NOW | RTLD_LOCAL);
			return printf("%d\n", ((int (*)(long))dlsym(plugin, "caught"))(100)) < 0;
		}
	C
	run --separate-stderr "$SCPROF" run --no-report -o "$T/out/p.scp" -s "$PWD/libthrows.so:even" -- ./main
	[ "$output" = 50 ]
	make_report --by function
	SHOWN=.sites holds '.abandoned_calls == 0' '[.sites[] | "\(.outcome) \(.calls)"] | sort == ["completed 50", "exception 50"]'
}
