// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes profiles whose call paths share frames: make_paths family COUNT OUT: each path with any
 * earlier one, some found without unwind tables, some checked, one call each without a histogram;
 * make_paths chain COUNT OUT: as deep as can be, each path with the one before, which the reader is
 * to follow neither by recursion nor again and again. Always the same file for the same arguments.
 * Exit status 2: wrong usage.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/scp_build.h"

#define OWN_MOST 6

static uint64_t state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003). */
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static struct scp_table *begin(struct scp_build *b, uint32_t count)
{
	scp_build_begin_room(b, (1u << 20) + (uint64_t)count * 512);
	scp_build_header(b)->flags = SCP_FILE_HISTOGRAMS;
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(b, 1, "malloc", "libc.so.6");
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_module(b, 2, "/usr/lib/libserver-core.so.3");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	return scp_build_table(b, 1, "server");
}

static uint64_t add_call(struct scp_build *b, uint32_t id, uint32_t path)
{
	struct scp_entry *e = scp_build_entry(b, id, path, 1, SCP_COMPLETED);

	e->calls = 1;
	e->units = e->max_units = e->min_units = e->first_units = 100 + next() % 5000;
	e->units_sq_lo = e->units * e->units;
	return e->units;
}

static uint32_t add_path(struct scp_build *b, uint32_t id, uint32_t base, uint32_t shared,
			 uint32_t own)
{
	uint64_t frame[OWN_MOST];
	struct scp_path *p;

	for (uint32_t i = 0; i < own; i++)
		frame[i] = SCP_FRAME(1 + next() % 2, 0, 0x1000 + next() % 4000 * 16);
	if (own > 1 && next() % 4 == 0)
		frame[own - 1] |= SCP_FRAME_HEURISTIC;
	p = scp_build_path(b, id, frame, own);
	p->flags = own > 1 && frame[own - 1] & SCP_FRAME_HEURISTIC ? SCP_PATH_HEURISTIC : 0;
	p->frames = (uint16_t)(shared + own);
	p->shared = (uint16_t)shared;
	p->base = base;
	return shared + own;
}

static void add_difference(struct scp_build *b, uint32_t id)
{
	struct scp_path_difference *d;

	scp_build_open_optional(b, SCP_OPTIONAL_CHECKS, 0);
	d = scp_build_record(b, SCP_REC_PATH_DIFFERENCE, sizeof *d + 5 * sizeof d->frame[0]);
	d->id = id;
	d->at = 1;
	d->ours = 2;
	d->theirs = 3;
	for (uint32_t i = 0; i < 5; i++)
		d->frame[i] = 0x7f0000000000 + next() % 4096;
	scp_build_close_chunk(b);
}

static void make_family(struct scp_build *b, uint32_t count)
{
	uint32_t *frames = calloc((size_t)count + 1, sizeof *frames);
	struct scp_table *t = begin(b, count);
	uint64_t units = 0;

	if (!frames)
		err(1, "make_paths");
	for (uint32_t id = 1; id <= count; id++) {
		uint32_t base = id > 1 ? 1 + (uint32_t)(next() % (id - 1)) : 0;
		uint32_t shared = base ? (uint32_t)(next() % (frames[base] + 1)) : 0;
		uint32_t own = 1 + (uint32_t)(next() % OWN_MOST);

		if (shared + own > SCP_MAX_FRAMES)
			shared = 0;
		frames[id] = add_path(b, id, shared ? base : 0, shared, own);
	}
	for (uint32_t id = 1; id <= count; id++)
		units += add_call(b, id, count + 1 - id);
	t->closed_units = units;
	scp_build_close_chunk(b);
	scp_build_header(b)->path_checks =
		(struct scp_path_checks){1, 1, count, 2, 0, count / 4, 0};
	add_difference(b, 1);
	add_difference(b, 2);
	free(frames);
}

static void make_chain(struct scp_build *b, uint32_t count)
{
	struct scp_table *t = begin(b, count);
	uint64_t units = 0;
	uint32_t depth = 0;

	for (uint32_t id = 1; id <= count; id++) {
		uint32_t shared = depth < SCP_MAX_FRAMES ? depth : SCP_MAX_FRAMES - 1;

		depth = add_path(b, id, shared ? id - 1 : 0, shared, 1);
	}
	for (uint32_t id = 1; id <= count; id++)
		units += add_call(b, id, count + 1 - id);
	t->closed_units = units;
	scp_build_close_chunk(b);
}

int main(int argc, char **argv)
{
	struct scp_build b;
	uint32_t count;

	if (argc != 4 || (count = (uint32_t)strtoul(argv[2], NULL, 10)) == 0 || count > 2000000)
		errx(2, "usage: make_paths family|chain COUNT OUT");
	if (!strcmp(argv[1], "family"))
		make_family(&b, count);
	else if (!strcmp(argv[1], "chain"))
		make_chain(&b, count);
	else
		errx(2, "usage: make_paths family|chain COUNT OUT");
	scp_build_finish(&b);
	scp_build_save(&b, argv[3]);
	scp_build_free(&b);
	return 0;
}
