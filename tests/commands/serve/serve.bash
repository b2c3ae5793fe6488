# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# After common.bash: agents for the tests of `scprof serve`, which ends with the test.

# It has said where it listens, or it has ended.
agent_speaks()
{
	grep -q http agent.out 2>/dev/null || ! kill -0 "$AGENT" 2>/dev/null
}

# launch_agent OPTION...: on a free port; $AGENT, output in agent.out and agent.err.
launch_agent()
{
	rm -f agent.out # what an earlier one said
	"$SCPROF" serve --listen 127.0.0.1:0 "$@" >agent.out 2>agent.err </dev/null 3>&- 4>&- &
	AGENT=$!
}

# start_agent OPTION...: the same, and it answers at $URL.
start_agent()
{
	launch_agent "$@"
	await agent_speaks
	find_url
}

find_url()
{
	URL=$(sed -n 's|.*\(http://[^/]*\)/.*|\1|p' agent.out)
	[ -n "$URL" ]
}

# lacks FILE PATTERN: whatever its case.
lacks()
{
	if grep -i "$2" "$1"; then return 1; fi
}

# stop_agent: by SIGTERM, if it has not ended; its status, 137 where SIGTERM does not end it.
stop_agent()
{
	local status=0
	kill -TERM "$AGENT" 2>/dev/null || true
	timeout 120 tail --pid="$AGENT" -s 0.1 -f /dev/null || kill -KILL "$AGENT"
	wait "$AGENT" || status=$?
	AGENT=
	return "$status"
}

# background COMMAND...: profiled, to $T/out; ended after the test.
background()
{
	LD_PRELOAD=$LIB SCPROF_OUT=$T/out SCPROF_GROUPS=socket "$@" >>background.out 2>&1 </dev/null 3>&- 4>&- &
	BACKGROUND+=($!)
}

# open_window: a window of an hour that is waited for; leave_windows: its client goes away.
open_window()
{
	curl -s "$URL/debug/pprof/profile?seconds=3600" -o /dev/null 3>&- 4>&- &
	WINDOWS+=($!)
}

leave_windows()
{
	local pid
	for pid in "${WINDOWS[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	WINDOWS=()
}

# renderers: the processes that render for the agent.
renderers()
{
	pgrep -P "$AGENT"
}

# windows_taken N: so many renderers hold a profile.
windows_taken()
{
	local pid taken=0
	for pid in $(renderers); do
		[ -z "$(find "/proc/$pid/fd" -lname '*.scp' -print -quit 2>/dev/null)" ] || taken=$((taken + 1))
	done
	[ "$taken" -ge "$1" ]
}

# renderers_stopped N: so many have stopped themselves (stop_renderer.c).
renderers_stopped()
{
	local pid stopped=0
	for pid in $(renderers); do
		! grep -q '^State:.T' "/proc/$pid/status" 2>/dev/null || stopped=$((stopped + 1))
	done
	[ "$stopped" = "$1" ]
}

end_background()
{
	local pid
	leave_windows
	for pid in "${BACKGROUND[@]}" ${AGENT:-}; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	BACKGROUND=()
}

# code ARG...: the status of an answer.
code()
{
	curl -s -o answer -D headers -w '%{http_code}' --max-time 900 "$@"
}

# metric PATTERN: the value of the one series of the page that matches.
metric()
{
	curl -s --max-time 900 "$URL/metrics" | grep -v "^#" | grep -E "$1" | awk '{ print $NF }'
}
