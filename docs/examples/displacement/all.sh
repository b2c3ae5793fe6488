#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# All experiments of docs/results/displacement.md, one after the other: tables as text,
# as data and drawn. Options, such as --build DIR, --out DIR, --quiet PERCENT or --cpus A,B,
# go to each. It takes three quarters of an hour or so, and needs root for receive steering; what is not
# permitted is left out, and said. Nothing of the machine is changed, but
# for a control group of the fluid's own while it runs.
# Exit status: 0 all done, 1 not all, 130 interrupted.
set -u
here=$(dirname "$0") status=0
case ${1:-} in -h | --help)
	sed -n '3,8s/^# //p' "$0"
	exit 0
	;;
esac
[ -e build/scprof ] || [ $# -gt 0 ] || {
	echo 'all.sh: no build/scprof here: build first (make), or say --build DIR' >&2
	exit 1
}

# experiment COMMAND [ARG...]: as many operations a run as take a second or so.
experiment()
{
	local command=$1 ended=0
	shift
	"$here/$command" "$@" || ended=$?
	case $ended in
	0) echo ;;
	1 | 2) status=1 ;;
	*) exit "$ended" ;;
	esac
}

experiment table1.py --loops 1000 "$@"
experiment table2.py --loops 40000 "$@"
experiment table3.py --loops 1000 --replications 5 "$@"
experiment table4.py "$@"
for goal in compute burner fluid known; do
	experiment goals.py "$goal" --replications 20 "$@"
done
experiment goals.py rest --replications 10 "$@"
experiment goals.py steering --replications 40 "$@"
exit "$status"
