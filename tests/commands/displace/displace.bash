# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# What the suites of displacement share.

load ../common
JSON=displace.json SHOWN='del(.replications)'

setup()
{
	common_setup
	DISPLACE=("$SCPROF" displace --rest 100ms)
	BESIDE=()
}

# json ARG...: into $T/displace.json, started by BESIDE; the status is to be STATUS.
json()
{
	local status=0
	timeout -k 5 900 "${BESIDE[@]}" "${DISPLACE[@]}" --json -o "$T/displace.json" "$@" >"$T/out.txt" 2>"$T/err.txt" 3>&- || status=$?
	[ "$status" = "${STATUS:-0}" ] || {
		echo "scprof displace $*: status $status"
		cat "$T/err.txt"
		return 1
	}
}

# fails STATUS TEXT ARG...: one line that says TEXT, and the status.
fails()
{
	local wanted=$1 text=$2 said status=0
	shift 2
	# not `run`, which warns of status 127
	said=$(timeout -k 5 900 "$@" 2>&1 3>&-) || status=$?
	if [ "$status" != "$wanted" ] || [[ $said != *"$text"* ]] || [[ $said == *$'\n'* || $said == *'\x'* ]]; then
		echo "$*: status $status, wanted $wanted and '$text':"
		echo "$said"
		return 1
	fi
}

first_cpu()
{
	taskset -cp $$ | sed 's/.*: //; s/[,-].*//'
}

# group_of PID: the folder of the control group that this scprof has made; nothing where it has none.
group_of()
{
	find /sys/fs/cgroup -type d -name "scprof-fluid-$1" 2>/dev/null | head -n 1
}
