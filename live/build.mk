# SPDX-License-Identifier: GPL-3.0-or-later
LIVE_SRC = \
	live/batch.c \
	live/columns.c \
	live/feed.c \
	live/feed_model.c \
	live/head.c \
	live/labels.c \
	live/live_rows.c \
	live/means.c \
	live/precision.c \
	live/screen.c \
	live/screen_leave.c \
	live/state.c \
	live/target.c \
	live/view.c \
	live/window.c
