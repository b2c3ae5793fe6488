// SPDX-License-Identifier: GPL-3.0-or-later
/* Watch a profile file while it is written: where the counts of its entries lie, and what
 * they are now.
 *
 * Reading a live file as profile_add does (three copies, all checked) takes milliseconds;
 * whoever wants the counts many times a second looks for new entries now and then and
 * reads eight bytes an entry. With pread, never through a mapping: a file that somebody cuts
 * short must not kill the reader. Nothing is trusted: what does not fit is not listed.
 *
 * One thread looks; entry_watch_calls may be called by others for entries that they were told of.
 */
#ifndef SCPROF_PROFILE_LIVE_ENTRY_WATCH_H
#define SCPROF_PROFILE_LIVE_ENTRY_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct watch_entry {
	uint32_t table, id; /* in the file; they never change */
	uint64_t at;	    /* of its count, in the file */
};

/* A BATCH block of the main clock, a PHASE or HIST block, or STATES, of an entry. */
struct watch_block {
	uint32_t table, id, type;
	uint32_t sub; /* of a HIST block its number */
	uint64_t at;  /* of the record, in the file */
};

struct watch {
	int fd;
	uint32_t pid;		   /* of the process; 0: the file has no header yet */
	struct watch_entry *entry; /* in the order in which they were found */
	uint32_t entries, room;
	struct watch_block *block;
	uint32_t blocks, block_room;
	struct watch_chunk *chunk;
	uint32_t chunks, chunk_room;
};

/* 0, or -1 with errno: it cannot be opened, or is no regular file. */
int entry_watch_open(struct watch *w, const char *path);
void entry_watch_close(struct watch *w);

/* Find entries, and blocks of batches, phases, histograms and states, that are new. 0; -1: no
 * memory. */
int entry_watch_look(struct watch *w);

/* Calls so far; UINT64_MAX: cannot be read. */
uint64_t entry_watch_calls(int fd, uint64_t at);

#endif
