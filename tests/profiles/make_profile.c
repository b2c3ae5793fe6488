// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes profiles that no program leaves behind so easily, for tests and measurements of what
 * reads them: make_profile paths COUNT OUT: a tree of so many call paths; make_profile hostile
 * OUT: names that try to become markup, to reorder text, or to be too long; make_profile
 * displaced RUN OUT: costs by displacement, measured at the time RUN; make_profile ticks OUT: a
 * slow clock that saw one call alone, some of many, or none. Always the same file for the same
 * arguments. Exit status 2: wrong usage.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/scp_build.h"

#define FRAMES_MOST 20

static uint64_t state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003). */
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void begin(struct scp_build *b, uint64_t room)
{
	struct scp_header *h;

	scp_build_begin_room(b, room);
	h = scp_build_header(b);
	h->flags = SCP_FILE_HISTOGRAMS;
	h->overhead_first.rounds = h->overhead_last.rounds = 5;
	for (int i = 0; i < 2; i++)
		h->overhead_first.cost[i] = h->overhead_last.cost[i] =
			(struct scp_cost){17000, 900, 19000, 900};
}

/* Calls of about `units` each, half of them a tenth less and half more. */
static uint64_t fill(struct scp_entry *e, uint64_t calls, uint64_t units)
{
	uint64_t less = units - units / 10, more = units + units / 10;

	e->calls = calls;
	e->units = calls / 2 * less + (calls - calls / 2) * more;
	e->units_sq_lo = calls / 2 * less * less + (calls - calls / 2) * more * more;
	e->min_units = calls > 1 ? less : more;
	e->max_units = more;
	e->first_units = less;
	e->flags = SCP_ENTRY_BYTES;
	e->bytes = calls * 100;
	e->bytes_sq_lo = calls * 10000;
	e->bytes_units_lo = e->units * 100;
	return e->units;
}

static uint32_t bucket_of(uint64_t v)
{
	uint32_t e = 63 - (uint32_t)__builtin_clzll(v);

	return (e - 2) * 8 + (uint32_t)((v >> (e - 3)) & 7);
}

/* A histogram of the block that the longer calls lie in; for one path of ten. */
static void add_histogram(struct scp_build *b, const struct scp_entry *e)
{
	uint32_t id = e->id, bucket = bucket_of(e->max_units);
	uint64_t calls = e->calls;
	struct scp_hist *h = scp_build_record(b, SCP_REC_HIST, sizeof *h);

	h->entry = id;
	h->block = bucket / SCP_HIST_BUCKETS;
	h->count[bucket % SCP_HIST_BUCKETS] = calls;
}

/* A program of 4 000 functions, each of which calls 6 others, the first of them most often: a
 * path is a walk from main on. The walk so far is hashed into *walk, to tell paths apart. */
static uint32_t random_path(uint64_t *frame, uint64_t *walk)
{
	uint32_t frames = 6 + (uint32_t)(next() % (FRAMES_MOST - 5));
	uint64_t function = 0;

	*walk = 0;
	for (uint32_t i = frames; i-- > 0;) {
		uint64_t call = next() % 6 * (next() % 6) / 5;

		frame[i] = SCP_FRAME(1 + function % 3, 0, 0x1000 + function * 512 + call * 48);
		*walk = (*walk + call + 1) * 0x9e3779b97f4a7c15u;
		*walk ^= *walk >> 29;
		function = (function * 6 + call + 1) % 4000;
	}
	return frames;
}

/* A path that is not yet in `seen`, a table of `room` hashes. */
static uint32_t new_path(uint64_t *frame, uint64_t *seen, uint64_t room)
{
	for (;;) {
		uint64_t walk, at;
		uint32_t frames = random_path(frame, &walk);

		for (at = walk % room; seen[at] && seen[at] != walk; at = (at + 1) % room)
			continue;
		if (!seen[at]) {
			seen[at] = walk;
			return frames;
		}
	}
}

static void add_functions(struct scp_build *b, const char *const *name, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		scp_build_function(b, i + 1, name[i], "libc.so.6");
}

static void make_paths(struct scp_build *b, uint32_t count)
{
	static const char *const names[] = {"recv", "send",	  "read",   "write",
					    "poll", "epoll_wait", "accept", "connect"};
	uint64_t frame[FRAMES_MOST], units = 0, room = 2 * (uint64_t)count + 1;
	uint64_t *seen = calloc(room, sizeof *seen);
	struct scp_table *t;

	if (!seen)
		err(1, "make_profile");
	begin(b, (1u << 16) + (uint64_t)count * 768);
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	add_functions(b, names, 8);
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_module(b, 2, "/usr/lib/libserver-core.so.3");
	scp_build_module(b, 3, "/usr/lib/libtransport.so.1");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	t = scp_build_table(b, 1, "server");
	for (uint32_t i = 1; i <= count; i++) {
		uint32_t frames = new_path(frame, seen, room);
		struct scp_entry *e;

		scp_build_path(b, i, frame, frames);
		e = scp_build_entry(b, i, i, 1 + (uint32_t)(next() % 8),
				    next() % 20 ? SCP_COMPLETED : SCP_WOULD_BLOCK);
		units += fill(e, 1 + next() % 200, 500 + next() % 5000 * (next() % 50));
		if (i % 10 == 0)
			add_histogram(b, e);
	}
	t->closed_units = units;
	scp_build_close_chunk(b);
	free(seen);
}

/* A function whose name does not fit its record's field. */
static void add_long_function(struct scp_build *b, uint32_t id, const char *name)
{
	struct scp_function *f =
		scp_build_record(b, SCP_REC_FUNCTION, sizeof(*f) + strlen(name) + 1);

	f->id = id;
	f->group = SCP_GROUP_SOCKET;
	memcpy(f->name, name, strnlen(name, sizeof f->name - 1));
	strcpy(f->library, "<b>libc</b>.so");
	strcpy(f->long_name, name);
}

#define MARKUP "</script><img src=x onerror=\"window.hacked=1\"><script>window.hacked=2</script>"

static const char *hostile_name(uint32_t i)
{
	static char endless[10241];

	memset(endless, 'A', sizeof(endless) - 1);
	memcpy(endless, "endless<i>", 10);
	switch (i) {
	case 0:
		return MARKUP;
	case 1:
		return "quote\"' onmouseover='window.hacked=3' \\u003c &lt; `${window.hacked=4}`";
	case 2:
		return "right\xe2\x80\xae"
		       "tfel \xe2\x80\x8f\xe2\x81\xa6 to left";
	case 3:
		return "broken \xff\xc0\xaf utf-8 \x1b[31m and \x01 controls";
	case 4:
		return "<!-- <script> ]]> -->";
	default:
		return endless;
	}
}

static void make_hostile(struct scp_build *b)
{
	static const char argument[] = MARKUP;
	uint64_t frame[2] = {SCP_FRAME(1, 0, 0x1234), SCP_FRAME(2, 0, 0x99)}, units = 0;
	struct scp_header *h;
	struct scp_table *t;

	begin(b, 1u << 20);
	h = scp_build_header(b);
	strcpy(h->exe, "/tmp/" MARKUP);
	strcpy(h->program, "<img src=x onerror=\"window.hacked=6\">\xe2\x80\xae\xfe");
	h->argc = 1;
	h->argv_bytes = sizeof argument;
	memcpy(h->argv, argument, sizeof argument);
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	for (uint32_t i = 0; i < 6; i++)
		add_long_function(b, i + 1, hostile_name(i));
	scp_build_module(b, 1, "/tmp/<svg onload=window.hacked=5>");
	scp_build_module(b, 2, "/tmp/\"'><u>\xe2\x80\xae\xfe");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	t = scp_build_table(b, 1, "<s>\xe2\x80\xae\xff");
	scp_build_path(b, 1, frame, 2);
	for (uint32_t i = 1; i <= 6; i++) {
		struct scp_entry *e = scp_build_entry(b, i, 1, i, SCP_COMPLETED);

		units += fill(e, 100, 1000 * (8 - i));
		add_histogram(b, e);
	}
	t->closed_units = units;
	scp_build_close_chunk(b);
}

/* The longest row is one call, in which a clock of 4 ms saw 50 ticks: no interval. */
static void make_ticks(struct scp_build *b)
{
	static const char *const names[] = {"connect", "send", "recv"};
	static const struct {
		uint64_t calls, units, ticks;
	} row[] = {{1, 200000000, 50}, {5000, 20000, 25}, {10, 1000, 0}};
	const uint64_t tick = 4000000, frame[1] = {SCP_FRAME(1, 0, 0x1234)};
	uint64_t units = 0;
	struct scp_header *h;
	struct scp_table *t;

	begin(b, 1u << 20);
	h = scp_build_header(b);
	h->flags |= SCP_FILE_DUAL;
	h->slow_clock = h->clock;
	h->slow_clock.kind = SCP_CLOCK_COARSE;
	h->slow_clock.resolution_units = tick;
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	add_functions(b, names, 3);
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	t = scp_build_table(b, 1, "server");
	scp_build_path(b, 1, frame, 1);
	for (uint32_t i = 0; i < 3; i++) {
		struct scp_entry *e = scp_build_entry(b, i + 1, 1, i + 1, SCP_COMPLETED);
		uint64_t most = row[i].ticks < row[i].calls ? 1 : row[i].ticks;
		struct scp_slow *slow;

		units += fill(e, row[i].calls, row[i].units);
		slow = scp_build_record(b, SCP_REC_SLOW, sizeof *slow);
		slow->entry = i + 1;
		slow->units = row[i].ticks * tick;
		slow->max_units = row[i].ticks ? most * tick : 0;
		slow->units_sq_lo = row[i].ticks * most * tick * tick;
	}
	t->closed_units = units;
	scp_build_close_chunk(b);
}

/* Two sites that go together, one that causes nothing, a noisy one below 0, one that is called
 * too rarely, and one of which nothing is said. */
static const struct scp_site_cost site_costs[] = {
	{.state = SCP_SITE_COST_KNOWN,
	 .group = 1,
	 .uncharged_ps = 3200000,
	 .uncharged_error_ps = 150000},
	{.state = SCP_SITE_COST_KNOWN,
	 .group = 1,
	 .uncharged_ps = 3200000,
	 .uncharged_error_ps = 150000},
	{.state = SCP_SITE_COST_KNOWN,
	 .group = 3,
	 .uncharged_ps = 250000,
	 .uncharged_error_ps = 400000},
	{.state = SCP_SITE_COST_KNOWN,
	 .group = 4,
	 .uncharged_ps = -700000,
	 .uncharged_error_ps = 500000},
	{.state = SCP_SITE_COST_RARE, .group = 5},
};
#define SITE_COSTS (sizeof(site_costs) / sizeof(site_costs[0]))

static void add_site_cost(struct scp_build *b, uint32_t entry, uint64_t run)
{
	struct scp_site_cost *c = scp_build_record(b, SCP_REC_SITE_COST, sizeof *c);
	struct scp_record rec = c->rec;

	*c = site_costs[entry - 1];
	c->rec = rec;
	c->entry = entry;
	c->run = run;
	c->spans = 200;
	c->kept_ppm = 900000;
	if (c->state != SCP_SITE_COST_KNOWN)
		return;
	c->true_ps = c->uncharged_ps + 6000000;
	c->true_error_ps = 300000;
	c->uncharged_freedom_ppk = c->true_freedom_ppk = 60000;
	c->inflation_ppk = 1200;
}

static void add_account_text(struct scp_build *b, uint32_t index, const char *text)
{
	struct scp_account_text *t =
		scp_build_record(b, SCP_REC_ACCOUNT_TEXT, sizeof *t + strlen(text) + 1);

	t->account = 1;
	t->index = index;
	strcpy(t->text, text);
}

/* Two seconds of two CPUs, a quarter of the first one's charged to nobody; on the second one
 * noise has made that part negative. */
static void add_account(struct scp_build *b, uint64_t run)
{
	static const int64_t parts_ms[2][SCP_ACCOUNT_PARTS] = {{1000, 500, 250, 0, 125, 0, 125, 0},
							       {1020, -20, 0, 0, 0, 500, 500, 0}};
	struct scp_account *a;

	scp_build_open_optional(b, SCP_OPTIONAL_ACCOUNT, 0);
	a = scp_build_record(b, SCP_REC_ACCOUNT, sizeof *a);
	a->id = 1;
	a->run = run;
	a->uncharged_ns = 500000000;
	a->uncharged_error_ns = 50000000;
	a->uncharged_freedom_ppk = 60000;
	a->rusage_ns = 2000000000;
	for (uint32_t i = 0; i < 2; i++) {
		struct scp_account_cpu *c = scp_build_record(b, SCP_REC_ACCOUNT_CPU, sizeof *c);

		c->account = 1;
		c->cpu = i;
		c->wall_ns = 2000000000;
		for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
			c->part_ns[k] = parts_ms[i][k] * 1000000;
	}
	add_account_text(b, 0, "a quarter <img src=x>");
	add_account_text(b, 1, "careful <u>");
	scp_build_close_chunk(b);
}

/* A detector saw no switch, so all calls were charged as long as they took. */
static void add_charged(struct scp_build *b, uint64_t units)
{
	struct scp_table_states *t;

	scp_build_header(b)->switches.detector = SCP_SWITCH_RSEQ;
	scp_build_open_optional(b, SCP_OPTIONAL_STATES, 1);
	t = scp_build_record(b, SCP_REC_TABLE_STATES, sizeof *t);
	t->detector = SCP_SWITCH_RSEQ;
	t->covered_ns = t->cpu_ns = units;
	scp_build_close_chunk(b);
}

static void make_displaced(struct scp_build *b, uint64_t run)
{
	static const char *const names[] = {"send", "recv", "write", "read", "connect", "poll"};
	uint64_t units = 0;
	struct scp_table *t;

	begin(b, 1u << 20);
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	add_functions(b, names, 6);
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	t = scp_build_table(b, 1, "server");
	for (uint32_t i = 1; i <= 6; i++) {
		uint64_t frame[2] = {SCP_FRAME(1, 0, 0x1000 * i), SCP_FRAME(1, 0, 0x900)};

		scp_build_path(b, i, frame, 2);
		units += fill(scp_build_entry(b, i, i, i, SCP_COMPLETED),
			      i == 5 ? 3 : 20000 - 1000 * i, 20000 - 2000 * i);
	}
	for (uint32_t i = 1; i <= SITE_COSTS; i++)
		add_site_cost(b, i, run);
	t->closed_units = units;
	scp_build_close_chunk(b);
	add_charged(b, units);
	add_account(b, run);
}

static int usage(void)
{
	fputs("usage: make_profile paths COUNT OUT | make_profile hostile OUT | make_profile "
	      "displaced RUN OUT | make_profile ticks OUT\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct scp_build b;

	if (argc == 4 && !strcmp(argv[1], "paths"))
		make_paths(&b, (uint32_t)strtoul(argv[2], NULL, 10));
	else if (argc == 3 && !strcmp(argv[1], "hostile"))
		make_hostile(&b);
	else if (argc == 4 && !strcmp(argv[1], "displaced"))
		make_displaced(&b, strtoul(argv[2], NULL, 10));
	else if (argc == 3 && !strcmp(argv[1], "ticks"))
		make_ticks(&b);
	else
		return usage();
	scp_build_finish(&b);
	scp_build_save(&b, argv[argc - 1]);
	scp_build_free(&b);
	return 0;
}
