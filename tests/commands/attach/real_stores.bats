#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Stores under load are attached to and left again: each answer stays right.
# about 10 s
load ../common
load real

@test "real stores 01: redis gives the answers of a twin that is left alone, and has its digest" {
	trial cycles redis 2
}

@test "real stores 02: memcached keeps every value" {
	trial cycles memcached 2
}

@test "real stores 03: postgres' sums stay equal" {
	trial cycles postgres 2
}
