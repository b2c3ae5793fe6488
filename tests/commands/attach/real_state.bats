#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Slots, data, protections, descriptors, signals, threads and the environment of a program at rest are
# after the detach what they were before the attach, as seen from outside.
# sleeps

load ../common
load real

@test "real state 01: of a small program" {
	trial state left 2 --rest 0.5
}

@test "real state 02: of a program with a thread in each call that waits" {
	trial state blocked 2 --rest 0.5
}

@test "real state 03: of nginx's master, and of a worker" {
	trial state nginx 1
	trial state nginx 1 --child
}
