// SPDX-License-Identifier: GPL-3.0-or-later
/* The agent over files that grow, end, go away, are copied, are damaged or hostile: the sums never
 * go back, nothing is counted twice, and nothing stops it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent.h"
#include "gauges.h"
#include "metrics.h"
#include "scp_build.h"
#include "pprof_window.h"

struct place {
	char directory[64];
	const char *directories[1];
	struct agent agent;
};

static int begin_with(struct place *x, const struct agent_options *more)
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

static int begin(void **state)
{
	struct place *x = calloc(1, sizeof(*x));

	strcpy(x->directory,
	       access("/dev/shm", W_OK) ? "/tmp/agent.XXXXXX" : "/dev/shm/agent.XXXXXX");
	x->directories[0] = mkdtemp(x->directory);
	*state = x;
	return x->directories[0] ? begin_with(x, &(struct agent_options){0}) : -1;
}

static int end(void **state)
{
	struct place *x = *state;
	char command[128];

	agent_close(&x->agent);
	snprintf(command, sizeof(command), "rm -rf '%s'", x->directory);
	free(x);
	return system(command);
}

static const char *path_in(const struct place *x, const char *name)
{
	static char path[4][128];
	static unsigned turn;
	char *out = path[turn++ % 4];

	snprintf(out, sizeof(path[0]), "%s/%s", x->directory, name);
	return out;
}

/* A process with `calls` calls of send, 1000 ns each, 100 bytes each, on one path. */
static void build(struct scp_build *b, uint32_t pid, const char *exe, uint64_t calls)
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

static void save(const struct place *x, const char *name, uint32_t pid, const char *exe,
		 uint64_t calls)
{
	struct scp_build b;

	build(&b, pid, exe, calls);
	scp_build_save(&b, path_in(x, name));
	scp_build_free(&b);
}

/* Write over a file that is there, as a process does: the same inode. */
static void rewrite(const struct place *x, const char *name, uint32_t pid, const char *exe,
		    uint64_t calls)
{
	struct scp_build b;
	int fd = open(path_in(x, name), O_WRONLY);

	assert_true(fd >= 0);
	build(&b, pid, exe, calls);
	assert_int_equal(pwrite(fd, b.bytes, b.used, 0), (ssize_t)b.used);
	close(fd);
	scp_build_free(&b);
}

static void all_due(struct place *x)
{
	for (struct source *s = x->agent.sources; s; s = s->hh.next)
		s->next_ns = 0;
}

/* As a scrape a while later, when every file is due. */
static void look(struct place *x)
{
	agent_scan(&x->agent);
	all_due(x);
	x->agent.refreshed_ns = 0;
	agent_refresh(&x->agent);
}

static const struct counters_row *row_of(const struct place *x, const char *service,
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

static uint64_t calls_of(const struct place *x, const char *service)
{
	const struct counters_row *row = row_of(x, service, "send");

	return row ? (uint64_t)row->sums.calls : 0;
}

static size_t files_in(const struct place *x, enum source_state state)
{
	size_t count = 0;

	for (const struct source *s = x->agent.sources; s; s = s->hh.next)
		count += s->state == state;
	return count;
}

static void sums_are_those_of_the_files(void **state)
{
	struct place *x = *state;
	const struct counters_row *row;

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	save(x, "scprof.a.2.scp", 2, "/opt/a", 30);
	save(x, "scprof.b.3.scp", 3, "/bin/b", 5);
	save(x, "else.scp", 4, "/bin/b", 1000);
	look(x);
	row = row_of(x, "a", "send");
	assert_non_null(row);
	assert_true(row->sums.calls == 40 && row->sums.bytes == 4000 && row->sums.ticks == 40000);
	assert_float_equal((double)row->sums.seconds, 40e-6, 1e-15);
	assert_float_equal((double)row->sums.square_seconds, 40e-12, 1e-20);
	assert_int_equal(calls_of(x, "b"), 5);
}

static void files_that_grow_are_added_once(void **state)
{
	struct place *x = *state;

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	look(x);
	look(x);
	assert_int_equal(calls_of(x, "a"), 10);
	rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 25);
	look(x);
	assert_int_equal(calls_of(x, "a"), 25);
}

/* What was written after the last reading counts, though the file is gone. */
static void what_is_gone_stays_in_the_sums(void **state)
{
	struct place *x = *state;
	struct gauges g;

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	look(x);
	rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 18);
	unlink(path_in(x, "scprof.a.1.scp"));
	look(x);
	assert_int_equal(calls_of(x, "a"), 18);
	assert_int_equal(HASH_COUNT(x->agent.sources), 0);
	save(x, "scprof.a.2.scp", 2, "/bin/a", 4);
	look(x);
	assert_int_equal(calls_of(x, "a"), 22);
	assert_int_equal(gauges_build(&g, &x->agent), 0);
	assert_int_equal(g.count, 1);
	assert_int_equal(g.gauge[0].calls, 22); /* means are of the ended one, too */
	gauges_free(&g);
}

static void sums_never_go_back(void **state)
{
	struct place *x = *state;

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	look(x);
	rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 4);
	look(x);
	assert_int_equal(calls_of(x, "a"), 10);
	assert_true(x->agent.faults[SOURCE_FAULT_BACKWARDS] > 0);
	rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 12);
	look(x);
	assert_int_equal(calls_of(x, "a"), 12);
	assert_int_equal(truncate(path_in(x, "scprof.a.1.scp"), 100), 0);
	look(x);
	assert_int_equal(calls_of(x, "a"), 12);
	assert_true(x->agent.faults[SOURCE_FAULT_CONTENT] > 0);
}

static void save_lossy(const struct place *x, const char *name, uint32_t pid, uint64_t skipped)
{
	struct scp_build b;

	build(&b, pid, "/bin/a", 1);
	scp_build_header(&b)->losses.skipped_calls = skipped;
	scp_build_save(&b, path_in(x, name));
	scp_build_free(&b);
}

/* For an agent that reads everybody's: 1000 calls that somebody else says were ours. */
static void nobody_speaks_as_a_service_of_ours(void **state)
{
	struct place *x = *state;

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	save(x, "scprof.a.2.scp", 2, "/bin/a", 1000);
	if (chown(path_in(x, "scprof.a.2.scp"), 65534, 65534))
		skip(); /* root's right */
	look(x);
	assert_int_equal(calls_of(x, "a"), 10);
	assert_int_equal(calls_of(x, "a@65534"), 1000);
}

/* Whatever two files say together: what comes after is added to it. */
static void no_file_makes_a_sum_wrap(void **state)
{
	struct place *x = *state;

	save_lossy(x, "scprof.a.1.scp", 1, UINT64_MAX);
	save_lossy(x, "scprof.a.2.scp", 2, UINT64_MAX);
	look(x);
	save_lossy(x, "scprof.a.3.scp", 3, 5);
	look(x);
	assert_true(x->agent.counters.services->lost[COUNTERS_SKIPPED] ==
		    2 * (prof_u128)UINT64_MAX + 5);
}

static void a_process_counts_once(void **state)
{
	struct place *x = *state;
	char command[300];

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	look(x);
	assert_int_equal(link(path_in(x, "scprof.a.1.scp"), path_in(x, "scprof.b.1.scp")), 0);
	snprintf(command, sizeof(command), "cp %s %s", path_in(x, "scprof.a.1.scp"),
		 path_in(x, "scprof.c.1.scp"));
	assert_int_equal(system(command), 0);
	look(x);
	assert_int_equal(calls_of(x, "a"), 10);
	assert_int_equal(files_in(x, SOURCE_DUPLICATE), 2);
	/* and still, when the first of them is gone */
	unlink(path_in(x, "scprof.a.1.scp"));
	unlink(path_in(x, "scprof.b.1.scp"));
	look(x);
	snprintf(command, sizeof(command), "cp %s %s", path_in(x, "scprof.c.1.scp"),
		 path_in(x, "scprof.d.1.scp"));
	assert_int_equal(system(command), 0);
	look(x);
	assert_int_equal(calls_of(x, "a"), 10);
}

static void merged_profiles_are_results(void **state)
{
	struct place *x = *state;
	struct profile *p = profile_new();
	struct profile_error err;

	save(x, "input.scp", 1, "/bin/a", 10);
	assert_int_equal(profile_add(p, path_in(x, "input.scp"), &err), 0);
	assert_int_equal(profile_write(p, path_in(x, "scprof.a.9.scp"), &err), 0);
	profile_free(p);
	look(x);
	assert_int_equal(calls_of(x, "a"), 0);
	assert_int_equal(files_in(x, SOURCE_MERGED), 1);
}

static void nothing_hostile_stops_it(void **state)
{
	struct place *x = *state;
	int fd;

	save(x, "real.scp", 7, "/bin/linked", 10);
	assert_int_equal(symlink(path_in(x, "real.scp"), path_in(x, "scprof.link.1.scp")), 0);
	assert_int_equal(symlink("/proc/self/mem", path_in(x, "scprof.link.2.scp")), 0);
	assert_int_equal(symlink("scprof.loop.1.scp", path_in(x, "scprof.loop.1.scp")), 0);
	assert_int_equal(mkfifo(path_in(x, "scprof.fifo.1.scp"), 0600), 0);
	assert_int_equal(mkdir(path_in(x, "scprof.dir.1.scp"), 0700), 0);
	assert_int_equal(symlink("/", path_in(x, "scprof.abcdef")), 0);
	fd = open(path_in(x, "scprof.huge.1.scp"), O_CREAT | O_WRONLY, 0600);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	close(fd);
	fd = open(path_in(x, "scprof.empty.1.scp"), O_CREAT | O_WRONLY, 0600);
	close(fd);
	scp_build_save_bytes("rubbish", 7, path_in(x, "scprof.rubbish.1.scp"));
	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	look(x);
	look(x);
	assert_int_equal(calls_of(x, "a"), 10);
	assert_int_equal(calls_of(x, "linked"), 0);
	assert_true(x->agent.faults[SOURCE_FAULT_LINK] > 0);
	assert_true(x->agent.faults[SOURCE_FAULT_KIND] > 0);
	assert_true(x->agent.faults[SOURCE_FAULT_SIZE] > 0);
	assert_int_equal(HASH_COUNT(x->agent.counters.services), 1);
}

/* Every byte of a sound file changed in turn: whatever is read, sums only grow. */
static void damage_never_takes_anything_back(void **state)
{
	struct place *x = *state;
	uint64_t calls = 10;
	struct scp_build b;
	int fd;

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	look(x);
	fd = open(path_in(x, "scprof.a.1.scp"), O_WRONLY);
	build(&b, 1, "/bin/a", 10);
	for (uint64_t at = 0; at < b.used; at += at < 400 || at >= SCP_HEADER_BYTES ? 7 : 301) {
		uint8_t damaged = b.bytes[at] ^ 0x41;

		assert_int_equal(pwrite(fd, &damaged, 1, (off_t)at), 1);
		look(x);
		assert_true(calls_of(x, "a") >= calls);
		calls = calls_of(x, "a");
		assert_int_equal(pwrite(fd, &b.bytes[at], 1, (off_t)at), 1);
	}
	close(fd);
	scp_build_free(&b);
}

static void finds_directories_of_runs(void **state)
{
	struct place *x = *state;

	assert_int_equal(mkdir(path_in(x, "scprof.Ab12xy"), 0700), 0);
	assert_int_equal(mkdir(path_in(x, "scprof.Ab12xy/profiles.1f"), 0700), 0);
	assert_int_equal(mkdir(path_in(x, ".scprof.Zz98ab"), 0700), 0);
	assert_int_equal(mkdir(path_in(x, "somebody.else"), 0700), 0);
	save(x, "scprof.Ab12xy/profiles.1f/scprof.a.1.scp", 1, "/bin/a", 1);
	save(x, "scprof.Ab12xy/scprof.a.2.scp", 2, "/bin/a", 10);
	save(x, ".scprof.Zz98ab/scprof.a.3.scp", 3, "/bin/a", 100);
	save(x, "somebody.else/scprof.a.4.scp", 4, "/bin/a", 1000);
	look(x);
	assert_int_equal(calls_of(x, "a"), 111);
}

static void says_how_many_files_are_beyond_the_limit(void **state)
{
	struct place *x = *state;
	char name[32];

	agent_close(&x->agent);
	assert_int_equal(begin_with(x, &(struct agent_options){.most_files = 3}), 0);
	for (uint32_t i = 1; i <= 8; i++) {
		snprintf(name, sizeof(name), "scprof.a.%u.scp", i);
		save(x, name, i, "/bin/a", 1);
	}
	look(x);
	assert_int_equal(calls_of(x, "a"), 3);
	assert_int_equal(x->agent.files_beyond, 5);
}

/* Names that anybody can make, as many as there is room for and more. */
static void refused_names_keep_nobody_out(void **state)
{
	struct place *x = *state;
	char name[32];

	save(x, "scprof.a.1.scp", 1, "/bin/a", 1);
	for (uint32_t i = 0; i < AGENT_NAMES + 100; i++) {
		snprintf(name, sizeof(name), "scprof.l.%u.scp", i);
		assert_int_equal(symlink("nowhere", path_in(x, name)), 0);
	}
	save(x, "scprof.a.2.scp", 2, "/bin/a", 10);
	look(x);
	save(x, "scprof.a.3.scp", 3, "/bin/a", 100);
	look(x);
	assert_int_equal(calls_of(x, "a"), 111);
	assert_int_equal(x->agent.held[SOURCE_NAMED], AGENT_NAMES);
	assert_int_equal(x->agent.files_beyond, 100);
	assert_int_equal(x->agent.held[SOURCE_OPEN], 3);
}

/* Ended processes whose files stay: each is counted, once, and the newest find room. */
static void ended_processes_make_room(void **state)
{
	struct place *x = *state;
	char name[32], command[300];
	struct gauges g;

	agent_close(&x->agent);
	assert_int_equal(begin_with(x, &(struct agent_options){.most_files = 2}), 0);
	for (uint32_t i = 1; i <= 7; i++) {
		snprintf(name, sizeof(name), "scprof.a.%u.scp", i);
		save(x, name, i, "/bin/a", 10);
	}
	for (int i = 0; i < 30; i++) { /* and nobody asks for anything */
		agent_scan(&x->agent);
		all_due(x);
	}
	assert_int_equal(calls_of(x, "a"), 70);
	assert_int_equal(x->agent.files_beyond, 0);
	assert_int_equal(x->agent.held[SOURCE_OPEN], 2);
	assert_int_equal(x->agent.held[SOURCE_ASIDE], 5);
	/* a copy of one that was closed, and one that was deleted; two more are closed for them */
	snprintf(command, sizeof(command), "for i in 1 2 3; do cp %s.$i.scp %s.1$i.scp; done",
		 path_in(x, "scprof.a"), path_in(x, "scprof.a"));
	assert_int_equal(system(command), 0);
	unlink(path_in(x, "scprof.a.1.scp"));
	for (int i = 0; i < 20; i++)
		look(x);
	assert_int_equal(calls_of(x, "a"), 70);
	assert_int_equal(files_in(x, SOURCE_DUPLICATE), 3);
	/* another process under a name that was closed */
	save(x, "new.scp", 99, "/bin/a", 5);
	assert_int_equal(rename(path_in(x, "new.scp"), path_in(x, "scprof.a.12.scp")), 0);
	look(x);
	assert_int_equal(calls_of(x, "a"), 75);
	assert_int_equal(gauges_build(&g, &x->agent), 0);
	assert_int_equal(g.gauge[0].calls, 75);
	gauges_free(&g);
}

static void opens_no_more_than_the_system_allows(void **state)
{
	struct place *x = *state;
	struct rlimit old, few = {.rlim_cur = 300};

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few.rlim_max = old.rlim_max;
	agent_close(&x->agent);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(begin_with(x, &(struct agent_options){.most_files = 4096}), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(x->agent.options.most_files, (300 - 256) / 2);
}

static void save_begun(const struct place *x, const char *name, uint32_t pid, uint64_t begun_ns,
		       uint64_t calls)
{
	struct scp_build b;

	build(&b, pid, "/bin/a", calls);
	scp_build_header(&b)->start_real_ns = begun_ns;
	scp_build_save(&b, path_in(x, name));
	scp_build_free(&b);
}

/* It is the process's beginning that counts, not when its file was found or could be read. */
static void counts_from_now_if_told_to(void **state)
{
	struct place *x = *state;
	uint64_t start_ns;

	agent_close(&x->agent);
	assert_int_equal(begin_with(x, &(struct agent_options){.from_now = true}), 0);
	start_ns = x->agent.started_real_ns;
	save_begun(x, "scprof.a.1.scp", 1, start_ns - 1, 10);
	scp_build_save_bytes("rubbish", 7, path_in(x, "scprof.a.3.scp"));
	look(x);
	assert_int_equal(calls_of(x, "a"), 0);
	save_begun(x, "scprof.a.1.scp", 1, start_ns - 1, 15);
	save_begun(x, "scprof.a.2.scp", 2, start_ns + 1, 100);
	save_begun(x, "scprof.a.3.scp", 3, start_ns - 1, 1000);
	save_begun(x, "scprof.a.4.scp", 4, start_ns - 1, 10000);
	look(x);
	assert_int_equal(calls_of(x, "a"), 105);
	save_begun(x, "scprof.a.3.scp", 3, start_ns - 1, 1001);
	save_begun(x, "scprof.a.4.scp", 4, start_ns - 1, 10001);
	look(x);
	assert_int_equal(calls_of(x, "a"), 107);
}

static bool next_chapter(void *context, double seconds)
{
	struct place *x = context;

	(void)seconds;
	rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 25);
	unlink(path_in(x, "scprof.a.1.scp"));
	save(x, "scprof.a.2.scp", 2, "/bin/a", 7);
	agent_scan(&x->agent); /* the first file is gone for it */
	return true;
}

/* 15 calls of a process that ended meanwhile, 7 of one that began. */
static void a_window_is_the_difference(void **state)
{
	struct place *x = *state;
	struct window w;

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	save(x, "scprof.a.3.scp", 3, "/bin/a", 1000);
	look(x);
	assert_int_equal(window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 2.5, next_chapter, x),
			 WINDOW_DONE);
	assert_int_equal(w.profile->entries, 1);
	assert_int_equal(w.profile->entry[0].sums.calls, 22);
	assert_int_equal(w.profile->entry[0].sums.units, 22000);
	assert_int_equal(w.profile->entry[0].sums.bytes, 2200);
	assert_int_equal(w.left_out, 0);
	assert_int_equal(w.profile->process[0].end_mono_ns - w.profile->process[0].start_mono_ns,
			 2500000000);
	window_free(&w);
}

static bool cut_short(void *context, double seconds)
{
	struct place *x = context;

	(void)seconds;
	rewrite(x, "scprof.a.2.scp", 2, "/bin/a", 1030);
	return truncate(path_in(x, "scprof.a.1.scp"), 100) == 0;
}

static bool five_calls(void *context, double seconds)
{
	(void)seconds;
	rewrite(context, "scprof.a.2.scp", 2, "/bin/a", 1035);
	return true;
}

static bool cut_short_and_gone(void *context, double seconds)
{
	struct place *x = context;
	bool done = cut_short(context, seconds) && unlink(path_in(x, "scprof.a.1.scp")) == 0;

	agent_scan(&x->agent);
	return done;
}

/* 30 calls of one process; what the other had done before is not to be taken off them. */
static void a_window_with_a_file_that_breaks_is_none(void **state)
{
	struct place *x = *state;
	struct window w;

	save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	save(x, "scprof.a.2.scp", 2, "/bin/a", 1000);
	look(x);
	assert_int_equal(window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 2.5, cut_short, x),
			 WINDOW_UNREADABLE);
	window_free(&w);
	/* broken from the beginning, it is left out */
	assert_int_equal(window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 2.5, five_calls, x),
			 WINDOW_DONE);
	assert_int_equal(w.profile->entry[0].sums.calls, 5);
	assert_int_equal(w.left_out, 1);
	window_free(&w);
	save(x, "scprof.a.1.scp", 1, "/bin/a", 11);
	look(x);
	assert_int_equal(
		window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 2.5, cut_short_and_gone, x),
		WINDOW_UNREADABLE);
	window_free(&w);
}

static void prints_metrics_of_nothing(void **state)
{
	struct place *x = *state;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(metrics_print(&x->agent, true, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "# TYPE scprof_calls counter\n"));
	assert_string_equal(text + bytes - 6, "# EOF\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_are_those_of_the_files, begin, end),
		cmocka_unit_test_setup_teardown(files_that_grow_are_added_once, begin, end),
		cmocka_unit_test_setup_teardown(what_is_gone_stays_in_the_sums, begin, end),
		cmocka_unit_test_setup_teardown(sums_never_go_back, begin, end),
		cmocka_unit_test_setup_teardown(nobody_speaks_as_a_service_of_ours, begin, end),
		cmocka_unit_test_setup_teardown(no_file_makes_a_sum_wrap, begin, end),
		cmocka_unit_test_setup_teardown(a_process_counts_once, begin, end),
		cmocka_unit_test_setup_teardown(merged_profiles_are_results, begin, end),
		cmocka_unit_test_setup_teardown(nothing_hostile_stops_it, begin, end),
		cmocka_unit_test_setup_teardown(damage_never_takes_anything_back, begin, end),
		cmocka_unit_test_setup_teardown(finds_directories_of_runs, begin, end),
		cmocka_unit_test_setup_teardown(says_how_many_files_are_beyond_the_limit, begin,
						end),
		cmocka_unit_test_setup_teardown(refused_names_keep_nobody_out, begin, end),
		cmocka_unit_test_setup_teardown(ended_processes_make_room, begin, end),
		cmocka_unit_test_setup_teardown(opens_no_more_than_the_system_allows, begin, end),
		cmocka_unit_test_setup_teardown(counts_from_now_if_told_to, begin, end),
		cmocka_unit_test_setup_teardown(a_window_is_the_difference, begin, end),
		cmocka_unit_test_setup_teardown(a_window_with_a_file_that_breaks_is_none, begin,
						end),
		cmocka_unit_test_setup_teardown(prints_metrics_of_nothing, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
