// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths into a file under construction; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_PATHS_H
#define SCPROF_PROFILE_WRITE_PATHS_H

#include "profile/write/image.h"

struct write_paths {
	const struct profile *p;
	uint32_t *id;	 /* in the table being written, by index in the model... */
	uint32_t *stamp; /* ...valid where this is the table's id */
	uint32_t table, paths;
	const struct prof_path *last; /* that was written in the table */
};

/* 0, or -1: out of memory. To be ended in any case. */
int write_paths_begin(struct write_paths *w, const struct profile *p);
void write_paths_end(struct write_paths *w);

/* What follows is of the table `id`. */
void write_paths_begin_table(struct write_paths *w, uint32_t id);

/* The number of a path in the table; its record is written where there is none yet. */
uint32_t write_paths_put(struct write_paths *w, struct image *img, uint32_t index);

void write_paths_differences(struct image *img, const struct profile *p);

#endif
