// SPDX-License-Identifier: Apache-2.0
/* The profile file as the writer sees it: a shared mapping that grows by regions
 * reserved on disk before they are touched (a sparse mapping on a full disk is a
 * SIGBUS in the target), and stays open through no descriptor.
 *
 * Thread rules: any thread may allocate; losers of a race to grow get NULL and
 * are expected to count what they could not store. Nothing here waits. */
#ifndef SCPROF_PRELOAD_TABLE_FILE_H
#define SCPROF_PRELOAD_TABLE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_format.h"
#include "preload/util.h"

#define FILE_PATH_MAX 1024u

struct profile_file {
	struct scp_header *header; /* NULL: no file */
	uint8_t *region[SCP_MAX_REGIONS];
	uint32_t growing; /* a thread is adding a region */
	uint32_t backoff; /* requests to let pass before growing is tried again */
	uint32_t failures;
	uint64_t device, inode;
	char path[FILE_PATH_MAX];
};

/* Create DIRECTORY/scprof.NAME.PID[.K].scp with room for `bytes`. 0 or -errno. */
HIDDEN int file_create(struct profile_file *f, const char *directory, const char *name, int pid,
		       uint64_t bytes);

/* A chunk of `bytes` (a multiple of SCP_GRANULE) with its header filled; NULL
 * where the file cannot grow (counted in losses). */
HIDDEN struct scp_chunk *file_chunk(struct profile_file *f, uint64_t bytes, uint32_t type,
				    uint32_t table);

/* An optional chunk, which readers may skip: one granule. Likewise. */
HIDDEN struct scp_chunk *file_optional_chunk(struct profile_file *f, uint32_t type, uint32_t table);

/* Could `bytes` more of address space be taken without starving a program that
 * limits it? True where there is no limit. */
HIDDEN bool file_address_space_allows(uint64_t bytes);

#endif
