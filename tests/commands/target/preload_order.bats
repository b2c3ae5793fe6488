#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What else is preloaded: the loader takes the first definition of a function.
load ../common

setup()
{
	common_setup
	cat >allocates.c <<-'C'
		#include <stdio.h>
		#include <stdlib.h>
		int main(void)
		{
			for (int i = 0; i < 20000; i++) {
				void *volatile a = malloc(10), *volatile b = NULL;
				if (posix_memalign((void **)&b, 64, 100))
					return 1;
				a = realloc(a, 500);
				free(a);
				free(b);
			}
			return puts("done") < 0;
		}
	C
	cc -O1 -fno-builtin -o allocates allocates.c
}

# recorded NAME LIBRARY: calls of that library's function in $T/report.json.
recorded()
{
	jq --arg f "$1" --arg l "$2" '[.sites[] | select(.symbol == $f and (.library | startswith($l))) | .calls] | add // 0' \
		report.json
}

all_are_recorded_of()
{
	[ "$(recorded realloc "$1")" -ge 20000 ] && [ "$(recorded free "$1")" -ge 40000 ] &&
		[ "$(recorded malloc "$1")" -ge 20000 ]
}

# warned TEXT: the report says what stands before libscprof.so.
warned()
{
	jq -e --arg t "$1" '[.warnings[] | select(.code == "defined-before") | .text] | any(contains($t))' report.json >/dev/null
}

allocator_file()
{
	ldconfig -p | sed -n "s/^[[:space:]]*\($1\.so\.[0-9]*\) .*/\1/p" | head -n 1
}

@test "preload order 01: calls into an allocator that the user preloads are recorded" {
	for allocator in libjemalloc libtcmalloc_minimal; do
		an_allocator_is_recorded "$allocator"
	done
}

an_allocator_is_recorded()
{
	rm -f out/*
	local file
	file=$(allocator_file "$1")
	LD_PRELOAD=$file "$SCPROF" run -g alloc --no-report -o out/x.scp -- ./allocates >run.out
	[ "$(cat run.out)" = "done" ]
	make_report --by function
	all_are_recorded_of "$1"
	not warned "$1"
}

@test "preload order 02: an allocator before a bare libscprof.so is named in the report" {
	for allocator in libjemalloc libtcmalloc_minimal; do
		an_allocator_before_is_named "$allocator"
	done
}

an_allocator_before_is_named()
{
	rm -f out/*
	local file
	file=$(allocator_file "$1")
	rm -f stubs.so
	"$SCPROF" symbols --stubs stubs.so ./allocates malloc free realloc
	LD_PRELOAD="$file $PWD/stubs.so $LIB" SCPROF_OUT=out SCPROF_GROUPS=none ./allocates >run.out
	[ "$(cat run.out)" = "done" ]
	make_report --by function
	[ "$(calls_of realloc)" = 0 ]
	warned "$file ("
	rm out/*
	LD_PRELOAD="$PWD/stubs.so $LIB $file" SCPROF_OUT=out SCPROF_GROUPS=none ./allocates >run.out
	make_report --by function
	all_are_recorded_of "$1"
	not warned "$1"
}

# The stubs' versions are libc's, and the allocator's functions have none: that makes no difference to
# the loader, and must make none to us. A free of libc's would abort here.
@test "preload order 03: a program that a shell starts with an allocator runs, whatever is chosen" {
	for allocator in libjemalloc libtcmalloc_minimal; do
		a_later_allocator_is_called "$allocator"
	done
}

# shellcheck disable=SC2016 # the inner shell expands it
a_later_allocator_is_called()
{
	rm -f out/*
	local file chosen
	file=$(allocator_file "$1")
	for chosen in malloc free posix_memalign malloc,free,realloc; do
		"$SCPROF" run -s "$chosen" --no-report -o out/x.scp -- \
			sh -c 'LD_PRELOAD=$LD_PRELOAD:$0 exec ./allocates' "$file" >run.out
		[ "$(cat run.out)" = "done" ]
		make_report --by function
		[ "$(recorded "${chosen%%,*}" "$1")" -ge 20000 ]
	done
}

@test "preload order 04: a library that wraps a function and passes it on is named, and what it passes on recorded" {
	cat >passes.c <<-'C'
		#include <dlfcn.h>
		#include <sys/socket.h>
		ssize_t recv(int fd, void *to, size_t n, int flags)
		{
			ssize_t (*real)(int, void *, size_t, int) = (ssize_t (*)(int, void *, size_t, int))dlsym(RTLD_NEXT, "recv");
			return real(fd, to, n, flags);
		}
	C
	cc -D_GNU_SOURCE -shared -fPIC -o passes.so passes.c -ldl
	LD_PRELOAD=$T/passes.so:$LIB SCPROF_OUT=out "$EXAMPLES/echo_pair" 10 10
	make_report --by function
	warned 'passes.so (recv) stands before'
	[ "$(calls_of recv)" -gt 0 ]
	rm out/*
	LD_PRELOAD=$LIB:$T/passes.so SCPROF_OUT=out "$EXAMPLES/echo_pair" 10 10
	make_report --by function
	not warned passes.so
	[ "$(calls_of recv)" -gt 0 ]
}

@test "preload order 05: a function that the program defines itself is named; one that it only takes the address of is not" {
	printf '%s\n' '#include <stdio.h>' '#include <sys/socket.h>' \
		'int main(void) { printf("%d\n", &send != 0); return send(-1, "", 0, 0) == 9; }' >takes.c
	cc -no-pie -fno-pie -o takes takes.c
	LD_PRELOAD=$LIB SCPROF_OUT=out ./takes
	make_report --by function
	[ "$(calls_of send)" = 1 ]
	not warned stands
	rm out/*
	printf '%s\n' '#include <sys/socket.h>' \
		'ssize_t send(int fd, const void *b, size_t n, int f) { return fd + f + (b && n); }' >own.c
	cc -rdynamic -o own takes.c own.c
	LD_PRELOAD=$LIB SCPROF_OUT=out ./own
	make_report --by function
	warned 'the program itself (send) stands before'
}

@test "preload order 06: AddressSanitizer's library stays first, and the report names it" {
	cc -fsanitize=address -o checked allocates.c
	runtime=$(readelf -d checked | sed -n 's/.*NEEDED.*\[\(libasan.*\)\]/\1/p')
	"$SCPROF" run --no-report -o out/x.scp -- ./checked >run.out
	[ "$(cat run.out)" = "done" ]
	make_report --by function
	warned "$runtime ("
	LD_PRELOAD="$runtime $LIB" SCPROF_OUT=out ./checked >run.out
	[ "$(cat run.out)" = "done" ]
}

@test "preload order 07: the environment that a constructor has moved is not read: a thread of its may free it" {
	local stopped status=0
	for stopped in 0 1; do
		limited env SCPROF_STOPPED=$stopped SCPROF_OUT=out LD_PRELOAD="$LIB:$PROGRAMS/hidden_environment.so" \
			"$PROGRAMS/many_calls" 10 >run.out || status=$?
		[ $status = 0 ]
		[ "$(cat run.out)" = "calls 10" ]
	done
	[ "$(find out -name '*.scp' | wc -l)" = 1 ]
}
