// SPDX-License-Identifier: GPL-3.0-or-later
/* Root's agent and users who want all of it: names, open files, names of files in directories,
 * time. The clock is made up: it goes on by what the test says that a reading of GREEDY or an
 * estimate takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/serve/agent/agent.h"
#include "report/serve/pages/metrics.h"
#include "tests/unit/support/scp_build.h"

#define GREEDY 65534
#define OTHER  65533
#define MS     UINT64_C(1000000)

static struct {
	uint64_t ns, reading_ns, estimate_ns;
	struct agent *agent; /* whose lock must be free meanwhile */
	unsigned readings, estimates;
	bool stops; /* the agent, in the middle of a reading */
} made;

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	if (clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, t);
	*t = (struct timespec){.tv_sec = (time_t)(made.ns / (1000 * MS)),
			       .tv_nsec = (long)(made.ns % (1000 * MS))};
	return 0;
}

static void pass(uint64_t ns)
{
	assert_int_equal(pthread_mutex_trylock(&made.agent->lock), 0);
	pthread_mutex_unlock(&made.agent->lock);
	made.ns += ns;
}

struct profile *__real_source_load(const struct source *s, const struct source_limits *l,
				   enum source_fault *fault);
struct profile *__wrap_source_load(const struct source *s, const struct source_limits *l,
				   enum source_fault *fault);
struct profile *__wrap_source_load(const struct source *s, const struct source_limits *l,
				   enum source_fault *fault)
{
	made.readings++;
	pass(s->identity.uid == GREEDY ? made.reading_ns : 0);
	if (made.stops)
		agent_stop(made.agent);
	return __real_source_load(s, l, fault);
}

struct report *__real_report_build(const struct profile *p, const struct report_options *o);
struct report *__wrap_report_build(const struct profile *p, const struct report_options *o);
struct report *__wrap_report_build(const struct profile *p, const struct report_options *o)
{
	made.estimates++;
	pass(made.estimate_ns);
	return __real_report_build(p, o);
}

struct place {
	char directory[64];
	const char *directories[1];
	struct agent agent;
};

static struct agent_options options(const struct place *x)
{
	return (struct agent_options){.directory = x->directories,
				      .directories = 1,
				      .confidence = 0.95,
				      .most_services = 10,
				      .most_functions = 10,
				      .most_files = 4,
				      .most_bytes = 1u << 24};
}

static int begin(void **state)
{
	struct place *x = calloc(1, sizeof(*x));
	struct agent_options o;

	strcpy(x->directory,
	       access("/dev/shm", W_OK) ? "/tmp/shares.XXXXXX" : "/dev/shm/shares.XXXXXX");
	x->directories[0] = mkdtemp(x->directory);
	*state = x;
	o = options(x);
	memset(&made, 0, sizeof(made));
	made.ns = 1000 * MS;
	made.agent = &x->agent;
	return x->directories[0] ? agent_open(&x->agent, &o) : -1;
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

/* Of this process, as the kernel tells it (proc(5): field 22). */
static uint64_t start_of_this_process(void)
{
	unsigned long long start = 0;
	char text[1024];
	FILE *stat = fopen("/proc/self/stat", "r");
	size_t bytes = stat ? fread(text, 1, sizeof(text) - 1, stat) : 0;
	const char *at;

	text[bytes] = '\0';
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	assert_true(at && sscanf(at, "%llu", &start) == 1 && start);
	fclose(stat);
	return start;
}

/* Calls of send by process `number`, which ended, or (lives) says that it is this one. */
static void save_as(const struct place *x, uid_t uid, uint32_t number, const char *exe, bool lives,
		    uint64_t calls)
{
	uint64_t frame[1] = {SCP_FRAME(0, 0, 0x1234)};
	struct scp_header *h;
	struct scp_entry *e;
	struct scp_build b;
	char path[128];

	scp_build_begin_room(&b, 1u << 16);
	h = scp_build_header(&b);
	h->pid = lives ? (uint32_t)getpid() : number;
	h->start_real_ns = h->start_mono_ns = number;
	h->process_start = lives ? start_of_this_process() : 0;
	h->end_state = lives ? SCP_END_RUNNING : SCP_END_EXIT;
	snprintf(h->exe, sizeof(h->exe), "%s", exe);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "send", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "main");
	scp_build_path(&b, 1, frame, 1);
	e = scp_build_entry(&b, 1, 1, 1, SCP_COMPLETED);
	e->calls = calls;
	e->units = 1000 * calls;
	e->units_sq_lo = 1000000 * calls;
	e->min_units = e->max_units = e->first_units = 1000;
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	snprintf(path, sizeof(path), "%s/scprof.a.%u.scp", x->directory, number);
	scp_build_save(&b, path);
	scp_build_free(&b);
	assert_int_equal(chown(path, uid, uid), 0);
}

static void save(const struct place *x, uid_t uid, uint32_t number, bool lives, uint64_t calls)
{
	save_as(x, uid, number, "/bin/a", lives, calls);
}

static void save_program(const struct place *x, uid_t uid, uint32_t number, const char *exe)
{
	save_as(x, uid, number, exe, false, 10);
}

static void delete (const struct place *x, uint32_t number)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/scprof.a.%u.scp", x->directory, number);
	assert_int_equal(unlink(path), 0);
}

/* As a scrape a while later, when every file is due. */
static void look(struct place *x)
{
	agent_scan(&x->agent);
	for (struct source *s = x->agent.sources; s; s = s->hh.next)
		s->next_ns = 0;
	x->agent.refreshed_ns = 0;
	agent_refresh(&x->agent);
}

static uint64_t calls_of(const struct place *x, const char *service)
{
	uint64_t calls = 0;

	for (const struct counters_service *s = x->agent.counters.services; s; s = s->hh.next)
		for (const struct counters_function *f = s->functions; f; f = f->hh.next)
			if (!strcmp(s->name, service) && f->row[SCP_COMPLETED][SCP_CLOCK_MONOTONIC])
				calls += (uint64_t)f->row[SCP_COMPLETED][SCP_CLOCK_MONOTONIC]
						 ->sums.calls;
	return calls;
}

/* All processes live. */
static void nobody_takes_all_open_files(void **state)
{
	struct place *x = *state;

	if (geteuid())
		skip(); /* one user cannot read another's */
	x->agent.options.most_files = 8;
	for (uint32_t i = 1; i <= 6; i++)
		save(x, GREEDY, i, true, 10);
	look(x);
	assert_int_equal(calls_of(x, "a@65534"), 40);
	assert_int_equal(x->agent.files_beyond, 2);
	for (uint32_t i = 11; i <= 14; i++)
		save(x, OTHER, i, true, 1000);
	look(x);
	assert_int_equal(calls_of(x, "a@65533"), 2000);
	for (uint32_t i = 21; i <= 22; i++)
		save(x, 0, i, true, 100);
	look(x);
	assert_int_equal(calls_of(x, "a"), 200);
	assert_int_equal(x->agent.held[SOURCE_OPEN], 8);
	assert_int_equal(x->agent.files_beyond, 4);
	/* a place that becomes free is for the others */
	delete (x, 1);
	look(x);
	look(x);
	assert_int_equal(calls_of(x, "a@65534"), 40);
}

static bool has_name(struct counters *c, const char *program, unsigned uid)
{
	const struct counters_service *s = counters_service(c, program, uid ? &uid : NULL);

	assert_non_null(s);
	return s != c->other;
}

static void nobody_takes_all_names_of_services(void **state)
{
	struct counters c;
	char program[32];
	unsigned named[4] = {0};

	(void)state;
	c = (struct counters){.most_services = 10, .most_functions = 10};
	for (unsigned user = 0; user < 3; user++)
		for (unsigned i = 0; i < 20; i++) {
			snprintf(program, sizeof(program), "p%u", i);
			named[user] += has_name(&c, program, GREEDY - user);
		}
	assert_int_equal(named[0], 5); /* of 10 */
	assert_int_equal(named[1], 2); /* of 5 */
	assert_int_equal(named[2], 1); /* of 3 */
	for (unsigned i = 0; i < 3; i++) {
		snprintf(program, sizeof(program), "own%u", i);
		named[3] += has_name(&c, program, 0);
	}
	assert_int_equal(named[3], 2);
	assert_true(has_name(&c, "p0", GREEDY)); /* who has a name keeps it */
	counters_end(&c);
}

/* However many directories there are: the lock is held meanwhile. */
static void a_scan_looks_at_so_many_names_and_no_more(void **state)
{
	struct place *x = *state;
	struct agent_options o = options(x);
	char path[160];

	agent_close(&x->agent);
	o.most_names = 60;
	assert_int_equal(agent_open(&x->agent, &o), 0);
	for (unsigned i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "%s/scprof.Ab12x%u", x->directory, i);
		assert_int_equal(mkdir(path, 0700), 0);
		for (unsigned k = 0; k < 10; k++) {
			snprintf(path, sizeof(path), "%s/scprof.Ab12x%u/%u", x->directory, i, k);
			assert_int_equal(symlink("nowhere", path), 0);
		}
	}
	agent_scan(&x->agent);
	assert_int_equal(x->agent.search.names_left, 0);
	assert_true(x->agent.files_beyond >= 1);
	x->agent.options.most_names = 1000;
	agent_scan(&x->agent);
	assert_int_equal(x->agent.search.names_left, 1000 - 2 - 10 * 13);
	assert_int_equal(x->agent.files_beyond, 0);
}

static void time_at_once_and_in_the_long_run(void **state)
{
	struct share *shares = NULL;
	uint64_t now_ns = 5000 * MS;

	(void)state;
	assert_true(shares_has_time(shares, GREEDY, now_ns));
	shares_spend(&shares, GREEDY, now_ns, 900 * MS);
	assert_true(shares_has_time(shares, GREEDY, now_ns));
	shares_spend(&shares, OTHER, now_ns, 1000 * MS);
	assert_false(shares_has_time(shares, OTHER, now_ns));
	assert_true(shares_has_time(shares, OTHER, now_ns + 1));
	now_ns += 10000 * MS; /* was begun in time, and took long */
	shares_spend(&shares, GREEDY, now_ns, 10000 * MS);
	assert_false(shares_has_time(shares, GREEDY, now_ns));
	assert_true(shares_has_time(shares, OTHER, now_ns));
	/* paid for when four times as much has passed; as much as one second owes is granted */
	assert_false(shares_has_time(shares, GREEDY, now_ns + 26000 * MS));
	assert_true(shares_has_time(shares, GREEDY, now_ns + 30000 * MS));
	shares_tend(&shares, UINT64_MAX);
	assert_null(shares);
}

static void who_has_paid_is_forgotten(void **state)
{
	struct share *shares = NULL;

	(void)state;
	shares_spend(&shares, GREEDY, 9000 * MS, 9000 * MS);
	shares_tend(&shares, 9000 * MS);
	assert_false(shares_has_time(shares, GREEDY, 9000 * MS));
	shares_tend(&shares, 36000 * MS);
	assert_null(shares);
}

static void scrape_later(struct place *x, uint64_t ns)
{
	made.ns += ns;
	for (struct source *s = x->agent.sources; s; s = s->hh.next)
		s->next_ns = 0;
	agent_refresh(&x->agent);
}

/* Six files of 0.4 s each: three are read within a second that was begun, the others in turn. */
static void who_takes_too_long_is_read_later_and_others_are_not(void **state)
{
	struct place *x = *state;

	if (geteuid())
		skip();
	x->agent.options.most_files = 100;
	made.reading_ns = 400 * MS;
	for (uint32_t i = 1; i <= 6; i++)
		save(x, GREEDY, i, true, 10);
	for (uint32_t i = 7; i <= 8; i++)
		save(x, 0, i, false, 100);
	agent_scan(&x->agent);
	assert_int_equal(calls_of(x, "a@65534"), 30);
	assert_int_equal(calls_of(x, "a"), 200);
	assert_int_equal(agent_late(&x->agent), 3);
	for (uint32_t i = 1; i <= 6; i++)
		save(x, GREEDY, i, true, 20);
	scrape_later(x, 6000 * MS); /* those that were late come first */
	assert_int_equal(calls_of(x, "a@65534"), 30 + 3 * 20);
	assert_int_equal(agent_late(&x->agent), 3);
	made.ns += 6000 * MS;
	agent_scan(&x->agent); /* no scrape is needed for it */
	assert_int_equal(calls_of(x, "a@65534"), 6 * 20);
	assert_int_equal(agent_late(&x->agent), 0);
}

/* It is closed only when its last calls have been read. */
static void what_is_gone_and_late_is_not_lost(void **state)
{
	struct place *x = *state;

	if (geteuid())
		skip();
	save(x, GREEDY, 1, false, 10);
	made.reading_ns = 10000 * MS;
	agent_scan(&x->agent);
	save(x, GREEDY, 2, false, 7);
	agent_scan(&x->agent);
	assert_int_equal(calls_of(x, "a@65534"), 10);
	delete (x, 2);
	agent_scan(&x->agent);
	assert_int_equal(calls_of(x, "a@65534"), 10);
	made.ns += 60000 * MS;
	agent_scan(&x->agent);
	assert_int_equal(calls_of(x, "a@65534"), 17);
}

static void an_agent_that_stops_reads_no_other_file(void **state)
{
	struct place *x = *state;

	for (uint32_t i = 1; i <= 4; i++)
		save(x, geteuid(), i, false, 10);
	made.stops = true;
	agent_scan(&x->agent);
	assert_int_equal(made.readings, 1);
	agent_scan(&x->agent);
	agent_refresh(&x->agent);
	assert_int_equal(made.readings, 1);
	assert_false(agent_wait(&x->agent, UINT64_MAX / 2));
}

/* Of the services of one user as many are estimated as there is time for, and all of others. */
static void estimates_take_their_share_of_time(void **state)
{
	struct place *x = *state;
	size_t others = 0;
	struct gauges g;

	if (geteuid())
		skip();
	x->agent.options.most_files = 100;
	save_program(x, GREEDY, 1, "/bin/a");
	save_program(x, GREEDY, 2, "/bin/b");
	save_program(x, GREEDY, 3, "/bin/c");
	save_program(x, OTHER, 4, "/bin/d");
	agent_scan(&x->agent);
	made.estimate_ns = 1500 * MS;
	assert_int_equal(gauges_build(&g, &x->agent), 0);
	for (size_t i = 0; i < g.count; i++)
		others += g.gauge[i].service->uid == OTHER;
	assert_int_equal(others, 1);
	assert_int_equal(g.count, 2);
	assert_int_equal(g.left_out, 2);
	assert_int_equal(made.estimates, 2);
	gauges_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_takes_all_open_files, begin, end),
		cmocka_unit_test(nobody_takes_all_names_of_services),
		cmocka_unit_test_setup_teardown(a_scan_looks_at_so_many_names_and_no_more, begin,
						end),
		cmocka_unit_test(time_at_once_and_in_the_long_run),
		cmocka_unit_test(who_has_paid_is_forgotten),
		cmocka_unit_test_setup_teardown(who_takes_too_long_is_read_later_and_others_are_not,
						begin, end),
		cmocka_unit_test_setup_teardown(what_is_gone_and_late_is_not_lost, begin, end),
		cmocka_unit_test_setup_teardown(an_agent_that_stops_reads_no_other_file, begin,
						end),
		cmocka_unit_test_setup_teardown(estimates_take_their_share_of_time, begin, end),
	};

	return cmocka_run_group_tests_name("serve shares", tests, NULL, NULL);
}
