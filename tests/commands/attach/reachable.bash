# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# The tool and its library where other users can open them, too: the checkout may lie below a folder that is closed to
# them. (Whether they can execute the tool there says nothing: setpriv looks for it with root's rights.)

# make_reachable FILE...: a folder with copies of both, and of FILE...: $REACHABLE, for setup_file.
make_reachable()
{
	REACHABLE=$(mktemp -d /tmp/scprof-reachable.XXXXXX) && chmod 755 "$REACHABLE" &&
		cp "$SCPROF" "$LIB" "$@" "$REACHABLE/" && chmod 755 "$REACHABLE"/*
	export REACHABLE
}
