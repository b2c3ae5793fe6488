// SPDX-License-Identifier: GPL-3.0-or-later
/* Memory of another process: all of it may be crafted, and may change between two readings. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_MEMORY_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read up to `bytes`. How many came, from the first on; 0: none can be read. */
size_t memory_some(pid_t pid, uint64_t at, void *to, size_t bytes);

/* All of them, or false. */
bool memory_read(pid_t pid, uint64_t at, void *to, size_t bytes);

/* The same into memory to be freed; NULL: they cannot be read, or no memory. */
void *memory_copy(pid_t pid, uint64_t at, size_t bytes);

/* Words of a stack, which are read by windows: neighbours cost one system call. */
#define SAFE_POINT_WINDOW 16384u

struct safe_point_window {
	pid_t pid;
	uint64_t start;
	size_t bytes; /* 0: nothing read yet */
	uint8_t data[SAFE_POINT_WINDOW];
};

bool memory_word(struct safe_point_window *w, uint64_t at, uint64_t *word);

#endif
