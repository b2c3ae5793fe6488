// SPDX-License-Identifier: GPL-3.0-or-later
/* Files that are hostile, damaged or too many: none stops the agent, takes anything back, or keeps
 * those of others out. */
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

#include "report/serve/pages/metrics.h"
#include "tests/unit/support/place.h"
static void nothing_hostile_stops_it(void **state)
{
	struct place *x = *state;
	int fd;

	place_save(x, "real.scp", 7, "/bin/linked", 10);
	assert_int_equal(symlink(place_path(x, "real.scp"), place_path(x, "scprof.link.1.scp")), 0);
	assert_int_equal(symlink("/proc/self/mem", place_path(x, "scprof.link.2.scp")), 0);
	assert_int_equal(symlink("scprof.loop.1.scp", place_path(x, "scprof.loop.1.scp")), 0);
	assert_int_equal(mkfifo(place_path(x, "scprof.fifo.1.scp"), 0600), 0);
	assert_int_equal(mkdir(place_path(x, "scprof.dir.1.scp"), 0700), 0);
	assert_int_equal(symlink("/", place_path(x, "scprof.abcdef")), 0);
	fd = open(place_path(x, "scprof.huge.1.scp"), O_CREAT | O_WRONLY, 0600);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	close(fd);
	fd = open(place_path(x, "scprof.empty.1.scp"), O_CREAT | O_WRONLY, 0600);
	close(fd);
	scp_build_save_bytes("rubbish", 7, place_path(x, "scprof.rubbish.1.scp"));
	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 10);
	assert_int_equal(place_calls(x, "linked"), 0);
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

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	fd = open(place_path(x, "scprof.a.1.scp"), O_WRONLY);
	place_build(&b, 1, "/bin/a", 10);
	for (uint64_t at = 0; at < b.used; at += at < 400 || at >= SCP_HEADER_BYTES ? 7 : 301) {
		uint8_t damaged = b.bytes[at] ^ 0x41;

		assert_int_equal(pwrite(fd, &damaged, 1, (off_t)at), 1);
		place_look(x);
		assert_true(place_calls(x, "a") >= calls);
		calls = place_calls(x, "a");
		assert_int_equal(pwrite(fd, &b.bytes[at], 1, (off_t)at), 1);
	}
	close(fd);
	scp_build_free(&b);
}

static void finds_directories_of_runs(void **state)
{
	struct place *x = *state;

	assert_int_equal(mkdir(place_path(x, "scprof.Ab12xy"), 0700), 0);
	assert_int_equal(mkdir(place_path(x, "scprof.Ab12xy/profiles.1f"), 0700), 0);
	assert_int_equal(mkdir(place_path(x, ".scprof.Zz98ab"), 0700), 0);
	assert_int_equal(mkdir(place_path(x, "somebody.else"), 0700), 0);
	place_save(x, "scprof.Ab12xy/profiles.1f/scprof.a.1.scp", 1, "/bin/a", 1);
	place_save(x, "scprof.Ab12xy/scprof.a.2.scp", 2, "/bin/a", 10);
	place_save(x, ".scprof.Zz98ab/scprof.a.3.scp", 3, "/bin/a", 100);
	place_save(x, "somebody.else/scprof.a.4.scp", 4, "/bin/a", 1000);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 111);
}

static unsigned opened;

int __real_source_open(struct source *s, int directory, const char *name,
		       const struct source_limits *l, enum source_fault *fault);
int __wrap_source_open(struct source *s, int directory, const char *name,
		       const struct source_limits *l, enum source_fault *fault);

int __wrap_source_open(struct source *s, int directory, const char *name,
		       const struct source_limits *l, enum source_fault *fault)
{
	opened++;
	return __real_source_open(s, directory, name, l, fault);
}

static void says_how_many_files_are_beyond_the_limit(void **state)
{
	struct place *x = *state;
	char name[32];

	agent_close(&x->agent);
	assert_int_equal(place_begin_with(x, &(struct agent_options){.most_files = 3}), 0);
	for (uint32_t i = 1; i <= 8; i++) {
		snprintf(name, sizeof(name), "scprof.a.%u.scp", i);
		place_save(x, name, i, "/bin/a", 1);
	}
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 3);
	assert_int_equal(x->agent.files_beyond, 5);
	opened = 0;
	agent_scan(&x->agent);
	assert_int_equal(x->agent.files_beyond, 5);
	assert_int_equal(opened, 1); /* what that found holds for the others */
}

/* Names that anybody can make, as many as there is room for and more. */
static void refused_names_keep_nobody_out(void **state)
{
	struct place *x = *state;
	char name[32];

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 1);
	for (uint32_t i = 0; i < AGENT_NAMES + 100; i++) {
		snprintf(name, sizeof(name), "scprof.l.%u.scp", i);
		assert_int_equal(symlink("nowhere", place_path(x, name)), 0);
	}
	place_save(x, "scprof.a.2.scp", 2, "/bin/a", 10);
	place_look(x);
	place_save(x, "scprof.a.3.scp", 3, "/bin/a", 100);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 111);
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
	assert_int_equal(place_begin_with(x, &(struct agent_options){.most_files = 2}), 0);
	for (uint32_t i = 1; i <= 7; i++) {
		snprintf(name, sizeof(name), "scprof.a.%u.scp", i);
		place_save(x, name, i, "/bin/a", 10);
	}
	for (int i = 0; i < 30; i++) { /* and nobody asks for anything */
		agent_scan(&x->agent);
		place_all_due(x);
	}
	assert_int_equal(place_calls(x, "a"), 70);
	assert_int_equal(x->agent.files_beyond, 0);
	assert_int_equal(x->agent.held[SOURCE_OPEN], 2);
	assert_int_equal(x->agent.held[SOURCE_ASIDE], 5);
	/* a copy of one that was closed, and one that was deleted; two more are closed for them */
	snprintf(command, sizeof(command), "for i in 1 2 3; do cp %s.$i.scp %s.1$i.scp; done",
		 place_path(x, "scprof.a"), place_path(x, "scprof.a"));
	assert_int_equal(system(command), 0);
	unlink(place_path(x, "scprof.a.1.scp"));
	for (int i = 0; i < 20; i++)
		place_look(x);
	assert_int_equal(place_calls(x, "a"), 70);
	assert_int_equal(place_files(x, SOURCE_DUPLICATE), 3);
	/* another process under a name that was closed */
	place_save(x, "new.scp", 99, "/bin/a", 5);
	assert_int_equal(rename(place_path(x, "new.scp"), place_path(x, "scprof.a.12.scp")), 0);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 75);
	assert_int_equal(gauges_build(&g, &x->agent), 0);
	assert_int_equal(g.gauge[0].calls, 75);
	gauges_free(&g);
}

/* A record of a complete file of another user, as after close_file. */
static void add_aside(struct agent *a, unsigned i)
{
	struct source *s = calloc(1, sizeof(*s));

	assert_true(asprintf(&s->path, "/others/scprof.%u.scp", i) > 0);
	s->fd = -1;
	s->holding = SOURCE_ASIDE;
	s->identity.uid = geteuid() + 1;
	a->held[SOURCE_ASIDE]++;
	HASH_ADD_KEYPTR(hh, a->sources, s->path, strlen(s->path), s);
}

/* Others fill what records there is room for: our ended processes make room for new ones yet. */
static void what_others_left_keeps_nobody_of_ours_out(void **state)
{
	struct place *x = *state;
	char name[32];

	agent_close(&x->agent);
	assert_int_equal(place_begin_with(x, &(struct agent_options){.most_files = 2}), 0);
	for (unsigned i = 0; i < AGENT_ASIDE; i++)
		add_aside(&x->agent, i);
	for (uint32_t i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "scprof.a.%u.scp", i);
		place_save(x, name, i, "/bin/a", 10);
	}
	for (int i = 0; i < 20; i++) {
		place_all_due(x);
		for (struct source *s = x->agent.sources; s; s = s->hh.next)
			if (s->holding == SOURCE_ASIDE)
				s->next_ns = UINT64_MAX / 2;
		agent_scan(&x->agent);
	}
	assert_int_equal(place_calls(x, "a"), 40);
}

static void opens_no_more_than_the_system_allows(void **state)
{
	struct place *x = *state;
	struct rlimit old, few = {.rlim_cur = 300};

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few.rlim_max = old.rlim_max;
	agent_close(&x->agent);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(place_begin_with(x, &(struct agent_options){.most_files = 4096}), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(x->agent.options.most_files, (300 - 256) / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_hostile_stops_it, place_begin, place_end),
		cmocka_unit_test_setup_teardown(damage_never_takes_anything_back, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(finds_directories_of_runs, place_begin, place_end),
		cmocka_unit_test_setup_teardown(says_how_many_files_are_beyond_the_limit,
						place_begin, place_end),
		cmocka_unit_test_setup_teardown(refused_names_keep_nobody_out, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(ended_processes_make_room, place_begin, place_end),
		cmocka_unit_test_setup_teardown(what_others_left_keeps_nobody_of_ours_out,
						place_begin, place_end),
		cmocka_unit_test_setup_teardown(opens_no_more_than_the_system_allows, place_begin,
						place_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
