#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A wire of one's own: two network namespaces joined by a veth pair, with loopback in the
# first. Run it as `unshare [--map-root-user] --net --mount wire.sh`; all that it makes and
# sets is in namespaces that end with it, so nothing of the machine needs to be put back,
# whatever happens. It prints
#
#       ready THIS_PID PEER_PID         whose /proc/PID/ns/net are the two ends
#
# and then obeys standard input, with one line "ok" or "failed: ..." each, until that ends:
#
#       steer MASK      receive packet steering of all three interfaces to these CPUs
#       rate MBIT       the wire passes so many Mbit/s each way; 0: as fast as it can
#
# Addresses: 127.0.0.1, and 10.77.0.1 (this end) and 10.77.0.2 (the peer's).
set -u

failed()
{
	echo "failed: $*"
	exit 1
}

# The peer's commands come through its standard input; it ends when this one does.
# (A namespace shows its own interfaces in a /sys mounted inside it.)
# shellcheck disable=SC2016 # that is for the inner shell
peer='
mount -t sysfs none /sys || exit 1
echo $$
while read -r mask; do
	echo "$mask" >/sys/class/net/peer/queues/rx-0/rps_cpus && echo ok || echo failed
done'
coproc PEER { exec unshare --net --mount bash -c "$peer" 2>&1; }
read -r peer_pid <&"${PEER[0]}" || failed 'the second network namespace'
case $peer_pid in '' | *[!0-9]*) failed "the second network namespace: $peer_pid" ;; esac
on_peer()
{
	nsenter --net="/proc/$peer_pid/ns/net" "$@"
}

lay()
{
	mount -t sysfs none /sys && ip link set lo up && ip link add name wire type veth peer name peer &&
		ip link set peer netns "$peer_pid" && ip addr add 10.77.0.1/24 dev wire &&
		ip link set wire up && on_peer ip addr add 10.77.0.2/24 dev peer &&
		on_peer ip link set peer up
}
problem=$(lay 2>&1) || failed "${problem//$'\n'/; }"
echo "ready $$ $peer_pid"

steer()
{
	local answer
	echo "$1" >/sys/class/net/lo/queues/rx-0/rps_cpus && echo "$1" >/sys/class/net/wire/queues/rx-0/rps_cpus || return
	echo "$1" >&"${PEER[1]}"
	read -r answer <&"${PEER[0]}"
	[ "$answer" = ok ]
}

# One full packet may pass at once, the rest as the rate lets them.
limit()
{
	tc qdisc del dev wire root 2>/dev/null
	on_peer tc qdisc del dev peer root 2>/dev/null
	[ "$1" != 0 ] || return 0
	tc qdisc add dev wire root tbf rate "$1mbit" burst 1600 limit 1000000 &&
		on_peer tc qdisc add dev peer root tbf rate "$1mbit" burst 1600 limit 1000000
}

while read -r verb value; do
	case $verb in
	steer) problem=$(steer "$value" 2>&1) ;;
	rate) problem=$(limit "$value" 2>&1) ;;
	*)
		problem='not understood'
		false
		;;
	esac && echo ok || echo "failed: $verb $value: ${problem//$'\n'/; }"
done
