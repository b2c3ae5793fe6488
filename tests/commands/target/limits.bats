#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Where something is missing the library does less; the program does the same.

load ../common

REPORT='--by function' # counts need no paths

@test "limits 01: RLIMIT_FSIZE" {
	unnoticed "$PROGRAMS/limits" fsize
}

@test "limits 02: RLIMIT_AS" {
	unnoticed "$PROGRAMS/limits" as
}

@test "limits 03: RLIMIT_NOFILE" {
	unnoticed "$PROGRAMS/limits" nofile
}

# Two descriptors for the program's socketpair, and none for anybody else.
@test "limits 04: two descriptors left from the start" {
	same_either_way bash -c 'unset EXPECT; ulimit -n 5; exec "$0" 16' "$PROGRAMS/many_calls"
}

@test "limits 05: file size limit of nothing from the start; of half a page that wakes" {
	local status=0
	(ulimit -f 0; unset EXPECT; with_library "$PROGRAMS/many_calls" 1000 | cat >/dev/null
		exit "${PIPESTATUS[0]}") || status=$?
	[ $status = 0 ]
	(ulimit -f 4; unset EXPECT; with_library env SCPROF_STOPPED=1 "$PROGRAMS/many_calls" 1000 | cat >/dev/null
		exit "${PIPESTATUS[0]}") || status=$?
	[ $status = 0 ]
}

@test "limits 06: a full disk" {
	[ "$(id -u)" = 0 ] || skip "mounting a small file system needs root"
	mkdir full
	mount -t tmpfs -o size=16k none full || skip "no tmpfs can be mounted here"
	record without "$PROGRAMS/endings" return
	limited env EXPECT="$T/expect.with" LD_PRELOAD="$LIB" SCPROF_OUT="$T/full" \
		"$PROGRAMS/endings" return >with.out 2>with.err || echo $? >with.status
	limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/full" "$PROGRAMS/close_all" >again.out 2>&1
	umount full
	cat with.err
	cmp without.status with.status
	cmp without.out with.out
	[ ! -s with.err ]
}

@test "limits 07: a disk that fills while the program runs" {
	[ "$(id -u)" = 0 ] || skip "mounting a small file system needs root"
	local status=0
	mkdir small
	mount -t tmpfs -o size=600k none small || skip "no tmpfs can be mounted here"
	record without "$PROGRAMS/limits" nofile
	limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/small" "$PROGRAMS/fork_in_threads" \
		>with.out 2>with.err || status=$?
	cp small/*.scp out/ || true
	umount small
	cat with.out with.err
	[ $status = 0 ]
	grep -q 'children that failed: 0' with.out
	make_report --by function
}

@test "limits 08: a folder that cannot be written, and one that is not there" {
	local where
	for where in /proc /nonexistent; do
		limited env LD_PRELOAD="$LIB" SCPROF_OUT=$where "$PROGRAMS/many_calls" 1000 \
			>with.out 2>with.err
		[ "$(cat with.out)" = "calls 1000" ]
		[ ! -s with.err ]
	done
}

@test "limits 09: a read-only working directory" {
	[ "$(id -u)" = 0 ] || skip "mounting needs root"
	mkdir readonly
	mount -t tmpfs -o ro none readonly || skip "no tmpfs can be mounted here"
	(cd readonly && limited env LD_PRELOAD="$LIB" "$PROGRAMS/many_calls" 1000) >with.out 2>with.err
	umount readonly
	[ "$(cat with.out)" = "calls 1000" ]
	[ ! -s with.err ]
}

@test "limits 10: seccomp strict mode" {
	unnoticed "$PROGRAMS/sandbox" strict warm
	unnoticed "$PROGRAMS/sandbox" strict cold
}

@test "limits 11: seccomp filters that refuse everything else" {
	local how when
	for how in prctl-errno syscall-errno; do
		for when in warm cold; do
			rm -rf out expect.* && mkdir out
			unnoticed "$PROGRAMS/sandbox" $how $when
		done
	done
}

@test "limits 12: seccomp filters that kill for everything else" {
	local how when
	for how in prctl-kill syscall-kill; do
		for when in warm cold; do
			rm -rf out expect.* && mkdir out
			unnoticed "$PROGRAMS/sandbox" $how $when
			[ "$(cat with.status)" = 4 ]
		done
	done
}

@test "limits 13: SCPROF_DISABLE=1 writes nothing" {
	SCPROF_DISABLE=1 with_library "$PROGRAMS/many_calls" 10
	[ -z "$(ls out)" ]
}

# memory_made PROGRAM...: blocks, their bytes, and bytes of its file on tmpfs.
memory_made()
{
	mkdir -p memory
	mount -t tmpfs none memory || skip "no tmpfs can be mounted here"
	limited env LD_PRELOAD="$LIB" SCPROF_OUT="$T/memory" "$@" >with.out 2>&1 || true
	stat -c '%b %B %s' memory/*.scp >sizes || true
	umount memory
	cat with.out sizes
	read -r blocks block bytes <sizes
}

@test "limits 14: all memory of a file on tmpfs is made before a seccomp filter, otherwise by chunk" {
	[ "$(id -u)" = 0 ] || skip "mounting needs root"
	local how blocks block bytes
	memory_made "$PROGRAMS/many_calls" 1000
	[ $((blocks * block)) -lt $((bytes / 2)) ]
	for how in prctl-errno syscall-errno; do
		memory_made "$PROGRAMS/sandbox" $how warm
		[ $((blocks * block)) -ge "$bytes" ]
	done
}

@test "limits 15: a thread whose first call found no memory is recorded soon after" {
	unnoticed "$PROGRAMS/limits" late
	holds '.overflow_calls > 0 and .overflow_calls < 10'
}

# given CLOCK VARIABLE FILE: the program runs as ever where the variable names such a file.
given()
{
	same_either_way env SCPROF_CLOCK="$1" "$2=$3" "$PROGRAMS/many_calls" 10
}

@test "limits 16: variables that name a FIFO, a device, a directory or a file that is too short" {
	local variable file
	mkfifo fifo
	printf 'SCPCLK1\n' >short
	for variable in SCPROF_CLOCK_PAGE SCPROF_CONTROL SCPROF_CAUSAL; do
		for file in fifo /dev/zero /dev/tty "$T" short; do
			given page $variable "$(realpath "$file")"
		done
	done
}

# all_preloaded OWNER MODE: what becomes of a program of that kind where the library is in every
# process; its profiles in $T/out.
all_preloaded()
{
	cat >all.sh <<-'END'
		mount -t tmpfs -o mode=755 none /etc || exit 77
		mkdir -m 777 /etc/out
		cp "$LIB" "$1" /etc
		chown "$2" /etc/many_calls
		chmod "$3" /etc/many_calls
		chown "$2" /etc
		echo /etc/libscprof.so >/etc/ld.so.preload
		SCPROF_OUT=/etc/out SCPROF_SYMBOLS=strlen /etc/many_calls 10
		status=$?
		rm /etc/ld.so.preload
		cp /etc/out/* "$T/out"
		exit $status
	END
	rm -f out/*
	LIB=$LIB T=$T SCPROF_DISABLE=1 unshare -m env -u SCPROF_DISABLE sh all.sh "$PROGRAMS/many_calls" "$1" "$2"
}

@test "limits 17: nothing is taken from who starts a set-user-id program, nor recorded, nor written" {
	[ "$(id -u)" = 0 ] || skip "making one needs root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	all_preloaded 0 755 || true
	[ -n "$(ls out)" ]
	run all_preloaded 65534 4755
	echo "$output"
	[ "$status" = 0 ]
	[ -z "$(ls out)" ]
}

# cuts HOW PAGE OPTION...: the tool, beside a program that cuts that page.
cuts()
{
	local status=0
	limited "$SCPROF" run "${@:3}" -- "$PROGRAMS/harms_page" "$1" "$2" >with.out 2>&1 || status=$?
	cat with.out
	[ $status = 3 ]
	grep -q 'cut the page' with.out
}

@test "limits 18: a program that cuts a page it shares with the tool does not end the tool" {
	cuts cut /clock -c page -o a.scp
	cuts cut /clock -c dual -o b.scp
	cuts leave-cut /control --for 600s -o c.scp
}
