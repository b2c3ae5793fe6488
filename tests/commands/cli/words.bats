#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a user reads is plain: no sentence of help, warnings, reports and pages is long.
load ../common

@test "no sentence of help, warnings, reports and pages has more than 25 words" {
	cd "$BATS_TEST_DIRNAME/../../.."
	scripts/check_words.py "$SCPROF"
}
