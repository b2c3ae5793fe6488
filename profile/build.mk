# SPDX-License-Identifier: GPL-3.0-or-later
PROFILE_SRC = \
	profile/error.c \
	profile/file.c \
	profile/large.c \
	profile/watch.c \
	profile/places.c \
	profile/since.c \
	profile/live.c \
	profile/header.c \
	profile/chunks.c \
	profile/records.c \
	profile/release.c \
	profile/refs.c \
	profile/settle.c \
	profile/settle_slowest.c \
	profile/rate.c \
	profile/overhead.c \
	profile/cmdline.c \
	profile/intern.c \
	profile/intern_paths.c \
	profile/load.c \
	profile/load_sums.c \
	profile/model.c \
	profile/slowest.c \
	profile/sums.c \
	profile/batches.c \
	profile/filters.c \
	profile/difference.c \
	profile/fold.c \
	profile/functions.c \
	profile/image.c \
	profile/write.c \
	profile/write_slowest.c \
	profile/write_sums.c \
	profile/site_cost.c \
	profile/account.c \
	profile/save.c
