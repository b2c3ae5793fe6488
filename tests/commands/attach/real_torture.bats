#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that check themselves: they must notice nothing of being attached to.
# sleeps

load ../common
load real

@test "real torture 01: threads that open objects, fork, exec, jump and hold registers stay right" {
	trial cycles torture 2 --size 0.1
}

@test "real torture 02: no call that waits for hours comes back early" {
	trial cycles blocked 3
}
