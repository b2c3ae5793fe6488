#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Which way calls went (enum scp_way) is in the profile, on every clock: what is subtracted from them
# depends on it.

load ../common

# ways FUNCTION: by how many calls each way was gone, in all of its entries.
ways()
{
	"$PROFILES/dump_entries" p.scp | awk -v name="$1" '
		$1 == "entry" { mine = $3 == name }
		$1 == "ways" && mine { for (i = 3; i <= NF; i++) sum[i] += $i }
		END { for (i = 3; i <= 10; i++) printf "%d%s", sum[i], i < 10 ? " " : "\n" }'
}

# costs: of which ways it is known what they cost, and of calls inside an interval.
costs()
{
	"$PROFILES/dump_entries" p.scp | sed -n 's/^costs //p'
}

profile()
{
	rm -f p.scp
	"$SCPROF" run --no-report -o p.scp "$@" 2>/dev/null
}

# make_uses: ./uses, which calls send of a library of its own, and other, 30 times each.
make_uses()
{
	cat >send.c <<-'END'
		#include <sys/types.h>
		ssize_t send(int fd, const void *b, size_t n, int f) { return (ssize_t)n; }
		int other(int x) { return x + 1; }
	END
	cat >uses.c <<-'END'
		#include <sys/socket.h>
		int other(int);
		int main(void)
		{
			int x = 0;
			for (int i = 0; i < 30; i++) {
				x += (int)send(-1, 0, 1, 0);
				x += other(x);
			}
			return x == 0;
		}
	END
	cc -shared -fPIC -o libsend.so send.c
	cc -O1 -o uses uses.c -L. -lsend -Wl,-rpath,"$PWD"
}

@test "ways 01: a system call of libc, a region, and either inside a region" {
	local clock
	for clock in tsc page monotonic dual; do
		echo "clock $clock"
		profile -c $clock -g socket,region -- "$PROGRAMS/inner" 20
		[ "$(ways hollow)" = '0 0 0 21 0 0 0 0' ]
		[ "$(ways inner)" = '0 0 0 0 0 0 0 20' ]
		[ "$(ways recv | cut -d' ' -f2-4,6-)" = '0 0 0 0 0 0' ]
		[ "$(ways recv | awk '{ print ($1 > 0) + ($5 > 0) }')" = 2 ]
	done
}

@test "ways 02: the same function of another library is no system call; a selected one has a way of its own" {
	make_uses
	profile -c tsc -s other -g socket -- ./uses
	[ "$(ways send)" = '0 30 0 0 0 0 0 0' ]
	[ "$(ways other)" = '0 0 30 0 0 0 0 0' ]
}

@test "ways 03: merging keeps them" {
	profile -c tsc -g socket,region -- "$PROGRAMS/inner" 20
	"$SCPROF" merge -o m.scp p.scp p.scp
	mv m.scp p.scp
	[ "$(ways hollow)" = '0 0 0 42 0 0 0 0' ] && [ "$(ways inner)" = '0 0 0 0 0 0 0 40' ]
}

@test "ways 04: the processor is made to wait before each reading around a selected function" {
	[ "$(uname -m)" = x86_64 ] || skip "reads the instructions of x86-64"
	objdump -d --no-show-raw-insn --disassemble=scprof_chosen_call "$BUILD/libscprof.so" >code
	[ "$(grep -c rdtsc code)" = 3 ] && [ "$(grep -B1 rdtsc code | grep -c lfence)" = 3 ]
	# around the original: nothing of it begins before the clock is read
	[ "$(grep -A1 rdtsc code | grep -c lfence)" = 2 ]
}

# No machine needs an hour for 30 calls, and no thread here is older.
@test "ways 05: a page clock that says 0 is a reading like any other" {
	make_uses
	profile -c page -d 100ms -s other -g socket -- ./uses
	"$PROFILES/dump_entries" p.scp | awk '$1 == "entry" { calls += $5; if ($6 > 36000) bad = 1 }
		END { exit bad || calls != 60 }'
}

@test "ways 06: what a way costs is measured where calls can go it, of regions when the first begins" {
	cat >killed.c <<-'END'
		#include <signal.h>
		#include <sys/socket.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#include "include/scprof.h"
		int main(int argc, char **argv)
		{
			char byte;
			(void)argv;
			if (argc > 2)
				recv(-1, &byte, 1, 0);
			if (argc > 1 && (argc == 2 || !fork()))
				SCPROF_BEGIN("outer");
			if (argc > 2)
				wait(NULL);
			recv(-1, &byte, 1, 0);
			return raise(SIGKILL);
		}
	END
	cc -I"$BATS_TEST_DIRNAME/../../.." -o killed killed.c
	profile -c tsc -g socket,region -- ./killed || true
	[ "$(costs)" = '1 0 0 0 0 0 0 0 1' ]
	profile -c tsc -g socket,region -- ./killed region || true
	[ "$(costs)" = '1 0 0 1 1 0 0 1 1' ]
	# a child's first region, before it has a file of its own: its parent's costs stay
	profile -c tsc -g socket,region -- ./killed region child || true
	[ "$(costs | cut -c1)" = 1 ]
	make_uses
	profile -c tsc -s other -g socket -- ./uses
	[ "$(costs)" = '1 1 1 0 1 1 1 0 1' ]
}
