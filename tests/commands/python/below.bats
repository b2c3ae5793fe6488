#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --below with Python functions: by name, module and file.

load ../common
load python

BELOW=$ROOT/tests/programs/python/below.py

# One of the real ones: PATH's may be a script.
python=$(pythons | head -1)

# sent PYTHON PATTERN BYTES: what was sent below the functions.
sent()
{
	rm -f p.scp
	limited "$SCPROF" run -g socket --below "$2" -o p.scp --no-report -- "$1" "$BELOW" 20 2>said
	"$SCPROF" report --format json p.scp >report.json
	local bytes
	bytes=$(jq '[.sites[] | select(.symbol == "send") | .bytes] | add // 0' report.json)
	[ "$bytes" = "$3" ] || { echo "$1 --below $2: $bytes bytes, not $3"; return 1; }
}

@test "python below 01: functions by name, module and file, with each Python" {
	local python
	while read -r python; do
		sent "$python" reply 200
		sent "$python" programs.python.below.other 20
		sent "$python" 'below.py:*,!main,!<module>,!put' 220
	done < <(pythons)
}

@test "python below 02: globs, files, and functions of classes where the interpreter knows them" {
	sent "$python" 'below:re*' 200
	sent "$python" '*.below.main' 2220
	sent "$python" main 2220
	sent "$python" 'other,reply' 220
	sent "$python" 'no_such' 0
	"$SCPROF" report p.scp | grep -q 'only calls below no_such'
	if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
		sent "$python" Service.reply 200
		sent "$python" below.Service.reply 200
	fi
}

@test "python below 03: a bare LD_PRELOAD takes Python functions, too" {
	LD_PRELOAD=$LIB SCPROF_OUT=$T/out SCPROF_GROUPS=socket SCPROF_BELOW=below.py:reply "$python" "$BELOW" 20
	make_report
	holds '[.sites[] | select(.symbol == "send") | .bytes] | add == 200'
	holds '[.warnings[].code] | index("setting-ignored") == null'
}
