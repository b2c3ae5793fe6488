// SPDX-License-Identifier: GPL-3.0-or-later
/* Profile files made by hand. A failure here is a failure of the test's own
 * ground, so it ends the test program.
 */
#include "tests/unit/support/scp_build.h"

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[64];

void scp_build_begin(struct scp_build *b)
{
	scp_build_begin_room(b, SCP_BUILD_ROOM);
}

void scp_build_begin_room(struct scp_build *b, uint64_t room)
{
	struct scp_header *h;

	b->bytes = calloc(1, room);
	if (!b->bytes)
		err(1, "scp_build");
	b->room = room;
	b->used = SCP_HEADER_BYTES;
	b->chunk = 0;
	h = scp_build_header(b);
	memcpy(h->magic, SCP_MAGIC, sizeof h->magic);
	h->version = SCP_VERSION;
	h->byte_order = SCP_BYTE_ORDER;
	h->header_bytes = SCP_HEADER_BYTES;
	h->end_state = SCP_END_EXIT;
	h->machine = 62;
	h->pid = 4711;
	h->ppid = 1;
	h->processes = 1;
	h->start_real_ns = 1700000000000000000u;
	h->start_mono_ns = 5000;
	h->end_mono_ns = 2000005000;
	h->clock_requested = SCP_CLOCK_MONOTONIC;
	h->groups = SCP_GROUP_SOCKET | SCP_GROUP_IO;
	h->clock.kind = SCP_CLOCK_MONOTONIC;
	h->clock.resolution_units = 1;
	h->clock.unit_ps = 1000;
	h->clock.read_ps = 22600;
	h->clock.last = (struct scp_anchor){2000000000, 2000000000, 40};
	strcpy(h->comm, "server");
	strcpy(h->exe, "/usr/bin/server");
	h->argc = 3;
	h->argv_bytes = sizeof "server\0-p\0"
			       "80";
	memcpy(h->argv,
	       "server\0-p\0"
	       "80",
	       h->argv_bytes);
}

void scp_build_free(struct scp_build *b)
{
	free(b->bytes);
	b->bytes = NULL;
}

struct scp_header *scp_build_header(struct scp_build *b)
{
	return (struct scp_header *)(void *)b->bytes;
}

static uint64_t take(struct scp_build *b, uint64_t bytes)
{
	uint64_t at = b->used;

	if (bytes > b->room - at)
		errx(1, "scp_build: the file is too large");
	b->used += bytes;
	return at;
}

uint64_t scp_build_open_chunk(struct scp_build *b, uint32_t type, uint32_t table)
{
	struct scp_chunk *c;

	b->chunk = take(b, sizeof *c);
	c = (struct scp_chunk *)(void *)(b->bytes + b->chunk);
	c->magic = SCP_CHUNK_MAGIC;
	c->type = type;
	c->table = table;
	return b->chunk;
}

uint64_t scp_build_open_optional(struct scp_build *b, uint32_t type, uint32_t table)
{
	uint64_t at = scp_build_open_chunk(b, type, table);

	((struct scp_chunk *)(void *)(b->bytes + at))->magic = SCP_OPTIONAL_MAGIC;
	return at;
}

void scp_build_close_chunk(struct scp_build *b)
{
	struct scp_chunk *c = (struct scp_chunk *)(void *)(b->bytes + b->chunk);

	c->used = b->used - b->chunk;
	take(b, (SCP_GRANULE - b->used % SCP_GRANULE) % SCP_GRANULE);
	c->bytes = b->used - b->chunk;
}

void *scp_build_record(struct scp_build *b, uint32_t type, uint64_t bytes)
{
	uint64_t whole = (bytes + SCP_RECORD_ALIGN - 1) / SCP_RECORD_ALIGN * SCP_RECORD_ALIGN;
	struct scp_record *r = (struct scp_record *)(void *)(b->bytes + take(b, whole));

	r->type = type;
	r->bytes = (uint32_t)whole;
	return r;
}

uint64_t scp_build_offset(const struct scp_build *b, const void *record)
{
	return (uint64_t)((const uint8_t *)record - b->bytes);
}

struct scp_function *scp_build_function(struct scp_build *b, uint32_t id, const char *name,
					const char *library)
{
	struct scp_function *f = scp_build_record(b, SCP_REC_FUNCTION, sizeof *f);

	f->id = id;
	f->group = SCP_GROUP_SOCKET;
	strncpy(f->name, name, sizeof f->name - 1);
	strncpy(f->library, library, sizeof f->library - 1);
	return f;
}

struct scp_module *scp_build_module(struct scp_build *b, uint32_t id, const char *path)
{
	struct scp_module *m = scp_build_record(
		b, SCP_REC_MODULE, offsetof(struct scp_module, path) + strlen(path) + 1);

	m->id = id;
	m->build_id_bytes = 20;
	memset(m->build_id, (int)(0xa0 + id), 20);
	m->base = m->start = 0x400000u * id;
	m->end = m->start + 0x10000;
	strcpy(m->path, path);
	return m;
}

struct scp_table *scp_build_table(struct scp_build *b, uint32_t id, const char *name)
{
	struct scp_table *t = scp_build_record(b, SCP_REC_TABLE, sizeof *t);

	t->id = id;
	t->tid = 4710 + id;
	t->threads = 1;
	strncpy(t->name, name, sizeof t->name - 1);
	return t;
}

struct scp_path *scp_build_path(struct scp_build *b, uint32_t id, const uint64_t *frame,
				uint32_t frames)
{
	struct scp_path *p = scp_build_record(
		b, SCP_REC_PATH, offsetof(struct scp_path, frame) + frames * sizeof *frame);

	p->id = id;
	p->frames = frames;
	if (frames)
		memcpy(p->frame, frame, frames * sizeof *frame);
	return p;
}

struct scp_entry *scp_build_entry(struct scp_build *b, uint32_t id, uint32_t path,
				  uint32_t function, uint32_t outcome)
{
	struct scp_entry *e = scp_build_record(b, SCP_REC_ENTRY, sizeof *e);

	e->id = id;
	e->path = path;
	e->function = function;
	e->outcome = outcome == SCP_TIMEOUT ? SCP_WOULD_BLOCK : outcome;
	e->flags = outcome == SCP_TIMEOUT ? SCP_ENTRY_TIMED_OUT : 0;
	e->batch_calls = 1;
	return e;
}

struct scp_gap *scp_build_gap(struct scp_build *b, uint32_t from, uint32_t to)
{
	struct scp_gap *g = scp_build_record(b, SCP_REC_GAP, sizeof *g);

	g->from = from;
	g->to = to;
	return g;
}

struct scp_slowest *scp_build_slowest(struct scp_build *b, uint32_t id, uint32_t entry,
				      uint64_t units)
{
	struct scp_slowest *s = scp_build_record(b, SCP_REC_SLOWEST, sizeof *s);

	s->id = id;
	s->entry = entry;
	s->seq = 2;
	s->tid = 4800 + id;
	s->units = units;
	s->slow_units = 4000000;
	s->bytes = 64;
	s->began_at = 1000;
	s->ended_mono_ns = scp_build_header(b)->start_mono_ns + units;
	s->ended_real_ns = scp_build_header(b)->start_real_ns + units;
	strcpy(s->name, "reader");
	return s;
}

struct scp_states *scp_build_states(struct scp_build *b, uint32_t entry, uint32_t detector,
				    uint64_t calls, uint64_t units)
{
	struct scp_states *t = scp_build_record(b, SCP_REC_STATES, sizeof *t);

	t->entry = entry;
	t->detector = detector;
	t->calls = t->readings = calls;
	t->units = t->off_cpu.known = t->off_cpu.weighted = units;
	t->units_sq_lo = calls ? units * units / calls : 0;
	t->off_cpu.runnable_ns = units / 8;
	t->off_cpu.asleep_ns = units / 2;
	t->off_cpu.ran_ns = units / 4;
	t->off_cpu.waits = calls;
	return t;
}

void scp_build_finish(struct scp_build *b)
{
	struct scp_header *h = scp_build_header(b);

	h->region_count = 1;
	h->regions[0].offset = SCP_HEADER_BYTES;
	h->regions[0].bytes = h->regions[0].used = b->used - SCP_HEADER_BYTES;
}

void scp_build_save_bytes(const void *bytes, uint64_t count, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count || close(fd))
		err(1, "%s", path);
}

void scp_build_save(const struct scp_build *b, const char *path)
{
	scp_build_save_bytes(b->bytes, b->used, path);
}

const char *scp_build_name(const char *name)
{
	static char path[4][192];
	static unsigned turn;
	char *out = path[turn++ % 4];

	if (!directory[0]) {
		strcpy(directory,
		       access("/dev/shm", W_OK) ? "/tmp/scp.XXXXXX" : "/dev/shm/scp.XXXXXX");
		if (!mkdtemp(directory))
			err(1, "%s", directory);
		atexit(scp_build_cleanup);
	}
	snprintf(out, sizeof path[0], "%s/%s", directory, name);
	return out;
}

void scp_build_cleanup(void)
{
	DIR *d = directory[0] ? opendir(directory) : NULL;
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	rmdir(directory);
	directory[0] = 0;
}
