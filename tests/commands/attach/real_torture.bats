#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that check themselves: they must notice nothing of being attached to.
# about 40 s

load ../common
load real

@test "real torture 01: threads that open objects, fork, exec, jump and hold registers stay right" {
	trial cycles torture 4 --size 0.2
}

@test "real torture 02: and when scprof is killed" {
	trial kills torture 6 --size 0.1
}

@test "real torture 03: no call that waits for hours comes back early" {
	trial cycles blocked 6
}

@test "real torture 04: and when scprof is killed" {
	trial kills blocked 9
}
