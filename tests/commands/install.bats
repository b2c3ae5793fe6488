#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make install` lays out works from there.

load common

@test "install 01: an installed scprof finds its library and profiles a program" {
	make -s -C "$BATS_TEST_DIRNAME/../.." BUILD="$BUILD" DESTDIR="$T/root" PREFIX=/usr install >/dev/null
	[ -s root/usr/include/scprof_format.h ]
	[ -s root/usr/lib/libscprof.so ]
	ls root/usr/share/doc/scprof/*GPL* root/usr/share/doc/scprof/*Apache* >/dev/null
	root/usr/bin/scprof run -o p.scp --no-report -- "$EXAMPLES/echo_pair" 10 10
	"$SCPROF" report --format json p.scp >report.json
	[ "$(calls_of send)" = 21 ]
}
