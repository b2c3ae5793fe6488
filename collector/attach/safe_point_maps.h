// SPDX-License-Identifier: GPL-3.0-or-later
/* What is mapped where in a process, as /proc/PID/maps says. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_MAPS_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct safe_point_map {
	uint64_t start, end, offset;
	uint64_t device, inode; /* 0: no file */
	bool readable, writable, executable;
	bool stack, heap, vdso;
};

struct safe_point_maps {
	struct safe_point_map *map; /* by address */
	size_t count, room;
	uint64_t executable; /* hash of the executable ones: other ones are other code */
};

/* The present maps instead of those held before (all zero at first). False: they cannot be read,
 * or are too many; then there are none. */
bool safe_point_maps_read(struct safe_point_maps *m, pid_t pid);
void safe_point_maps_free(struct safe_point_maps *m);

/* The map that holds an address; NULL: none. */
const struct safe_point_map *safe_point_maps_find(const struct safe_point_maps *m, uint64_t at);

#endif
