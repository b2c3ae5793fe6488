// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/support/place.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int place_begin_with(struct place *x, const struct agent_options *more)
{
	struct agent_options o = *more;

	o.directory = x->directories;
	o.directories = 1;
	o.confidence = 0.95;
	o.most_services = o.most_services ? o.most_services : 10;
	o.most_functions = o.most_functions ? o.most_functions : 10;
	o.most_files = o.most_files ? o.most_files : 100;
	o.most_bytes = o.most_bytes ? o.most_bytes : 1u << 24;
	return agent_open(&x->agent, &o);
}

int place_begin(void **state)
{
	struct place *x = calloc(1, sizeof(*x));

	strcpy(x->directory,
	       access("/dev/shm", W_OK) ? "/tmp/agent.XXXXXX" : "/dev/shm/agent.XXXXXX");
	x->directories[0] = mkdtemp(x->directory);
	*state = x;
	return x->directories[0] ? place_begin_with(x, &(struct agent_options){0}) : -1;
}

int place_end(void **state)
{
	struct place *x = *state;
	char command[128];

	agent_close(&x->agent);
	snprintf(command, sizeof(command), "rm -rf '%s'", x->directory);
	free(x);
	return system(command);
}

const char *place_path(const struct place *x, const char *name)
{
	static char path[4][128];
	static unsigned turn;
	char *out = path[turn++ % 4];

	snprintf(out, sizeof(path[0]), "%s/%s", x->directory, name);
	return out;
}

/* A process with `calls` calls of send, 1000 ns each, 100 bytes each, on one path. */
void place_build(struct scp_build *b, uint32_t pid, const char *exe, uint64_t calls)
{
	uint64_t frame[1] = {SCP_FRAME(0, 0, 0x1234)};
	struct scp_entry *e;
	struct scp_header *h;

	scp_build_begin_room(b, 1u << 16);
	h = scp_build_header(b);
	h->pid = pid;
	strcpy(h->exe, exe);
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(b, 1, "send", "libc.so.6");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	scp_build_table(b, 1, "main");
	scp_build_path(b, 1, frame, 1);
	e = scp_build_entry(b, 1, 1, 1, SCP_COMPLETED);
	e->calls = calls;
	e->units = 1000 * calls;
	e->units_sq_lo = 1000000 * calls;
	e->min_units = e->max_units = e->first_units = 1000;
	e->flags = SCP_ENTRY_BYTES;
	e->bytes = 100 * calls;
	e->bytes_sq_lo = 10000 * calls;
	e->bytes_units_lo = 100000 * calls;
	scp_build_close_chunk(b);
	scp_build_finish(b);
}

void place_save(const struct place *x, const char *name, uint32_t pid, const char *exe,
		uint64_t calls)
{
	struct scp_build b;

	place_build(&b, pid, exe, calls);
	scp_build_save(&b, place_path(x, name));
	scp_build_free(&b);
}

/* Write over a file that is there, as a process does: the same inode. */
void place_rewrite(const struct place *x, const char *name, uint32_t pid, const char *exe,
		   uint64_t calls)
{
	struct scp_build b;
	int fd = open(place_path(x, name), O_WRONLY);

	assert_true(fd >= 0);
	place_build(&b, pid, exe, calls);
	assert_int_equal(pwrite(fd, b.bytes, b.used, 0), (ssize_t)b.used);
	close(fd);
	scp_build_free(&b);
}

void place_all_due(struct place *x)
{
	for (struct source *s = x->agent.sources; s; s = s->hh.next)
		s->next_ns = 0;
}

/* As a scrape a while later, when every file is due. */
void place_look(struct place *x)
{
	agent_scan(&x->agent);
	place_all_due(x);
	x->agent.refreshed_ns = 0;
	agent_refresh(&x->agent);
}

const struct counters_row *place_row(const struct place *x, const char *service,
				     const char *function)
{
	const struct counters_service *s;
	const struct counters_function *f;

	for (s = x->agent.counters.services; s; s = s->hh.next)
		for (f = s->functions; f && !strcmp(s->name, service); f = f->hh.next)
			if (!strcmp(f->name, function))
				return f->row[SCP_COMPLETED][SCP_CLOCK_MONOTONIC];
	return NULL;
}

uint64_t place_calls(const struct place *x, const char *service)
{
	const struct counters_row *row = place_row(x, service, "send");

	return row ? (uint64_t)row->sums.calls : 0;
}

size_t place_files(const struct place *x, enum source_state state)
{
	size_t count = 0;

	for (const struct source *s = x->agent.sources; s; s = s->hh.next)
		count += s->state == state;
	return count;
}

void place_save_begun(const struct place *x, const char *name, uint32_t pid, uint64_t begun_ns,
		      uint64_t calls)
{
	struct scp_build b;

	place_build(&b, pid, "/bin/a", calls);
	scp_build_header(&b)->start_real_ns = begun_ns;
	scp_build_save(&b, place_path(x, name));
	scp_build_free(&b);
}
