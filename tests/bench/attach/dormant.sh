#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a call of a dormant process costs: send and read of a library that returns at once, without
# libscprof.so and with it, in turn; ns a call, the best of nine loops each. Reading them:
# the median of each column. Usage: tests/bench/attach/dormant.sh [LIBRARY [ROUNDS]]
set -euo pipefail
library=$(realpath "${1:-build/libscprof.so}")
rounds=${2:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/returns.c" <<'C'
#include <sys/socket.h>
#include <unistd.h>
ssize_t send(int fd, const void *from, size_t n, int flags)
{
	(void)fd, (void)from, (void)flags;
	__asm__ volatile("");
	return (ssize_t)n;
}
ssize_t read(int fd, void *to, size_t n)
{
	(void)fd, (void)to;
	__asm__ volatile("");
	return (ssize_t)n;
}
C
cat >"$folder/calls.c" <<'C'
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#define CALLS 3000000
static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
int main(void)
{
	double best[2] = {1e9, 1e9};
	char byte = 0;
	for (int round = 0; round < 9; round++)
		for (int which = 0; which < 2; which++) {
			double since = now_ns();
			for (int i = 0; i < CALLS; i++)
				if ((which ? read(-1, &byte, 1) : send(-1, &byte, 1, 0)) < 0)
					return 1;
			double each = (now_ns() - since) / CALLS;
			if (each < best[which])
				best[which] = each;
		}
	printf("%.2f %.2f", best[0], best[1]);
}
C
"${CC:-cc}" -O2 -shared -fPIC -o "$folder/libreturns.so" "$folder/returns.c"
"${CC:-cc}" -O2 -o "$folder/calls" "$folder/calls.c" -L"$folder" -lreturns -Wl,-rpath,"$folder"
echo "without: send read   dormant: send read   dormant, SCPROF_GROUPS=all: send read"
for ((i = 0; i < rounds; i++)); do
	"$folder/calls"
	for groups in socket all; do
		printf '   '
		LD_PRELOAD=$library SCPROF_STOPPED=1 SCPROF_OUT=$folder SCPROF_GROUPS=$groups "$folder/calls"
	done
	echo
done
