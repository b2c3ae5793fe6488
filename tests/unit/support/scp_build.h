// SPDX-License-Identifier: GPL-3.0-or-later
/* Profile files made by hand, for tests to read and to damage.
 *
 * It shares no code with profile/: what it writes is what the format header
 * says. The image is one block, so a record's offset stays valid; a pointer
 * stays valid too (the block has its final size from the start).
 */
#ifndef SCP_BUILD_H
#define SCP_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "include/scprof_format.h"

#define SCP_BUILD_ROOM (1u << 20)

struct scp_build {
	uint8_t *bytes; /* `room` of them */
	uint64_t used, room;
	uint64_t chunk; /* offset of the open one */
};

/* A plain file with a nanosecond clock and no regions yet. */
void scp_build_begin(struct scp_build *b);
/* The same for files of up to `room` bytes instead of SCP_BUILD_ROOM. */
void scp_build_begin_room(struct scp_build *b, uint64_t room);
void scp_build_free(struct scp_build *b);
struct scp_header *scp_build_header(struct scp_build *b);

uint64_t scp_build_open_chunk(struct scp_build *b, uint32_t type, uint32_t table);
void scp_build_close_chunk(struct scp_build *b);
/* One granule, begun and closed as the others. */
uint64_t scp_build_open_optional(struct scp_build *b, uint32_t type, uint32_t table);

/* Zeroed, with its header filled. */
void *scp_build_record(struct scp_build *b, uint32_t type, uint64_t bytes);
uint64_t scp_build_offset(const struct scp_build *b, const void *record);

struct scp_function *scp_build_function(struct scp_build *b, uint32_t id, const char *name,
					const char *library);
struct scp_module *scp_build_module(struct scp_build *b, uint32_t id, const char *path);
struct scp_table *scp_build_table(struct scp_build *b, uint32_t id, const char *name);
struct scp_path *scp_build_path(struct scp_build *b, uint32_t id, const uint64_t *frame,
				uint32_t frames);
struct scp_entry *scp_build_entry(struct scp_build *b, uint32_t id, uint32_t path,
				  uint32_t function, uint32_t outcome);
struct scp_gap *scp_build_gap(struct scp_build *b, uint32_t from, uint32_t to);
/* Ended `units` after the file's start. */
struct scp_slowest *scp_build_slowest(struct scp_build *b, uint32_t id, uint32_t entry,
				      uint64_t units);

/* Of which the calls were switched that so many units are about; all of them were read. */
struct scp_states *scp_build_states(struct scp_build *b, uint32_t entry, uint32_t detector,
				    uint64_t calls, uint64_t units);

/* One region over all chunks; then save. */
void scp_build_finish(struct scp_build *b);
void scp_build_save(const struct scp_build *b, const char *path);
void scp_build_save_bytes(const void *bytes, uint64_t count, const char *path);

/* A file with everything in it: two tables, three functions, two modules, a
 * dual clock, histograms, first calls, batches, phases, a line, a tail with a slot that does not
 * add up, gaps with open ends, states of one entry and of its table, the two slowest calls (one of
 * each table; a third is torn), looks and a chunk of the future. Offsets of one record of each
 * kind. */
struct scp_sample {
	uint64_t process_chunk, table_chunk, states_chunk, slowest_chunk, future_chunk, tail_chunk;
	uint64_t look_chunk, look;
	uint64_t function, module, table, path, entry, gap, hist, batch, slow, phase, line, slowest;
	uint64_t states, state_batches, state_hist, table_states, tail, first_calls;
};
void scp_build_sample(struct scp_build *b, struct scp_sample *s);

/* A fresh name in a directory that scp_build_cleanup removes. */
const char *scp_build_name(const char *name);
void scp_build_cleanup(void);

#endif
