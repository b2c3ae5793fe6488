#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Web servers and runtimes under load are attached to and left again: each byte stays right.
# sleeps

load ../common
load real

@test "real web 01: nginx, its master and its workers, serve each file as it is" {
	trial cycles nginx 2
}

@test "real web 02: Python's threads go on" {
	trial cycles python-threads 2
}

@test "real web 03: Python's asyncio goes on" {
	trial cycles python-asyncio 2
}

@test "real web 04: node goes on" {
	trial cycles node 2
}

@test "real web 05: Java goes on" {
	trial cycles java 2
}
