// SPDX-License-Identifier: GPL-3.0-or-later
/* Shares of the processes' own totals: of reads and writes by the functions that the kernel counts,
 * of waits by switched calls, of CPU time by threads' time; what is not known, or not of all
 * processes, has none. And what is said about the rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings/findings.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/report_fixture.h"

#define ALL (SCP_USAGE_CPU | SCP_USAGE_IO)

enum { READ, WRITE, RECV, SENDFILE, MINE, FUNCTIONS };

static struct prof_function function[FUNCTIONS];
static struct prof_entry entry[FUNCTIONS + 1];
static struct prof_table table;
static struct prof_process process[2];
static struct profile profile;

static void add(uint32_t of, char *name, uint32_t group, uint64_t calls)
{
	function[of] = (struct prof_function){.name = name, .library = name, .group = group};
	entry[of] = (struct prof_entry){.function = of};
	entry[of].sums = (struct prof_sums){.calls = calls, .detector = SCP_SWITCH_RSEQ};
}

/* 100 reads and 50 writes, 10 calls of sendfile; 1000 CPU s, 400 waits, 220 reads, 75 writes. */
static struct report make(void)
{
	static char names[][16] = {"read", "writev", "recv", "sendfile64"};
	static char mine[] = "read";

	memset(&profile, 0, sizeof(profile));
	add(READ, names[0], SCP_GROUP_IO | SCP_GROUP_SOCKET, 100);
	add(WRITE, names[1], SCP_GROUP_IO | SCP_GROUP_SOCKET, 50);
	add(RECV, names[2], SCP_GROUP_IO | SCP_GROUP_SOCKET, 1000);
	add(SENDFILE, names[3], SCP_GROUP_IO | SCP_GROUP_SOCKET, 10);
	add(MINE, mine, SCP_GROUP_SELECTED, 10000);
	entry[FUNCTIONS] = entry[READ];
	entry[FUNCTIONS].outcome = SCP_ERROR;
	memset(&table, 0, sizeof(table));
	table.states.detector = SCP_SWITCH_RSEQ;
	table.states.gap_off_cpu = (struct scp_off_cpu){.known = 10, .weighted = 10, .waits = 100};
	table.states.call_off_cpu = (struct scp_off_cpu){.known = 30, .weighted = 10, .waits = 100};
	process[0].count = process[1].count = 1;
	profile.clock = (struct prof_clock){.kind = SCP_CLOCK_TSC, .ns_per_unit = 1};
	profile.function = function, profile.functions = FUNCTIONS;
	profile.entry = entry, profile.entries = FUNCTIONS + 1;
	profile.table = &table, profile.tables = 1;
	profile.process = process, profile.processes = 2;
	profile.groups = SCP_GROUP_SOCKET;
	profile.usage = (struct scp_usage){.known = ALL,
					   .cpu_ns = UINT64_C(1000000000000),
					   .voluntary = 400,
					   .reads = 220,
					   .writes = 75};
	profile.usage_cpu_of = profile.usage_io_of = 2;
	return (struct report){.profile = &profile, .all_processes = 2};
}

static void expect_share(double share, double expected)
{
	assert_false(isnan(share));
	assert_near(share, expected, 1e-9);
}

static void expect_words(const struct report *r, const char *shares)
{
	char *is = ledger_describe(r, false);

	if (shares)
		assert_string_equal(is, shares);
	else
		assert_null(is);
	free(is);
}

static void an_estimated_share_is_within_the_whole(void **state)
{
	struct report r = make();

	(void)state;
	r.threads_time = (struct report_threads_time){.known = true, .cpu_in_calls_s = -1};
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.cpu_share, 0);
	r.threads_time.cpu_in_calls_s = 2000;
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.cpu_share, 1);
}

static void shares_are_of_the_processes_totals(void **state)
{
	struct report r = make();

	(void)state;
	r.threads_time = (struct report_threads_time){
		.known = true, .cpu_in_calls_s = 250, .stolen_share = 0.2};
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.cpu_share, 0.2);
	expect_share(r.ledger.waits_share, 0.75);
	expect_share(r.ledger.reads_share, 0.5);
	expect_share(r.ledger.writes_share, 0.8);
	assert_near(r.ledger.cpu_s, 1000, 1e-9);
	assert_near(r.ledger.waits, 400, 1e-9);
	assert_near(r.ledger.reads, 220, 1e-9);
	assert_near(r.ledger.writes, 75, 1e-9);
	expect_words(&r, "20.0 % of 1000 s of CPU time, 75.0 % of 400 waits, 50.0 % of 220 reads, "
			 "80.0 % of 75 writes");
}

static void what_is_not_known_of_all_processes_has_no_share(void **state)
{
	struct report r = make();

	(void)state;
	profile.usage_cpu_of = profile.usage_io_of = 1;
	assert_int_equal(ledger_fill(&r), 0);
	assert_true(isnan(r.ledger.cpu_share) && isnan(r.ledger.waits_share));
	assert_true(isnan(r.ledger.reads_share) && isnan(r.ledger.writes_share));
	assert_true(isnan(r.ledger.cpu_s) && isnan(r.ledger.waits));
	assert_true(isnan(r.ledger.reads) && isnan(r.ledger.writes));
	expect_words(&r, NULL);
	profile.usage_cpu_of = profile.usage_io_of = 2;
	profile.usage.known = SCP_USAGE_CPU;
	assert_int_equal(ledger_fill(&r), 0);
	assert_true(isnan(r.ledger.reads_share) && isnan(r.ledger.writes_share));
	expect_share(r.ledger.waits_share, 0.75);
}

/* Where no detector saw every switch, recorded calls may have had more waits. */
static void waits_have_a_share_only_where_switches_are_seen(void **state)
{
	struct report r = make();

	(void)state;
	table.states.detector = SCP_SWITCH_NONE;
	assert_int_equal(ledger_fill(&r), 0);
	assert_true(isnan(r.ledger.waits_share) && isnan(r.ledger.cpu_share));
	assert_near(r.ledger.waits, 400, 1e-9);
	table.states.detector = SCP_SWITCH_SAMPLED;
	assert_int_equal(ledger_fill(&r), 0);
	assert_true(isnan(r.ledger.waits_share));
	table.states.detector = SCP_SWITCH_PERF;
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.waits_share, 0.75);
	profile.tables = 0; /* no recorded call: whether switches are seen says the file */
	assert_int_equal(ledger_fill(&r), 0);
	assert_true(isnan(r.ledger.waits_share));
	profile.switches.detector = SCP_SWITCH_RSEQ;
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.waits_share, 0);
}

/* Which waits are known is a matter of chance; of threads without a table none are. */
static void waits_are_estimated_beside_those_of_gaps(void **state)
{
	struct report r = make();

	(void)state;
	profile.usage.voluntary = 380; /* 300 and 100 by the sample */
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.waits_share, 0.75);
	profile.usage.voluntary = 1000;
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.waits_share, 0.3);
}

static void a_clock_of_cpu_time_needs_no_detector(void **state)
{
	struct report r = make();

	(void)state;
	profile.clock.kind = SCP_CLOCK_THREAD_CPU;
	r.calls_ns = 350e9;
	r.nested_ns = 50e9;
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.cpu_share, 0.3);
}

/* Of a process that was killed. */
static void totals_that_are_older_than_the_calls_are_at_least_what_those_are(void **state)
{
	struct report r = make();

	(void)state;
	profile.usage.reads = 60;
	profile.usage.writes = 0;
	profile.usage.voluntary = 200;
	profile.usage.cpu_ns = 500000000;
	r.threads_time =
		(struct report_threads_time){.known = true, .cpu_in_calls_s = 0.75, .charged_s = 1};
	assert_int_equal(ledger_fill(&r), 0);
	expect_words(&r, "75.0 % of 1.000 s of CPU time, 75.0 % of 400 waits, 100.0 % of 110 "
			 "reads, 100.0 % of 60 writes");
	function[READ].overflow_calls = 110;
	profile.usage.reads = 220;
	assert_int_equal(ledger_fill(&r), 0);
	expect_share(r.ledger.reads_share, 1);
	process[0].end_state = process[1].end_state = SCP_END_EXIT; /* those are the last ones */
	assert_int_equal(ledger_fill(&r), 0);
	assert_near(r.ledger.cpu_s, 0.5, 1e-9);
	assert_near(r.ledger.waits, 200, 1e-9);
	process[0].end_state = process[1].end_state = SCP_END_RUNNING;
}

/* Of each function of the library that moves bytes it is decided what the kernel counts it as. */
static void every_function_that_moves_bytes_is_decided(void **state)
{
	static const char *const not_counted[] = {"send",   "sendto",	"sendmsg", "sendmmsg",
						  "recv",   "recvfrom", "recvmsg", "recvmmsg",
						  "splice", "tee",	"vmsplice"};
	static const struct {
		const char *name;
		int moves;
	} all[] = {
#define SCP_WRAP(ret, name, shown, always, if_socket, one, two, params, args, before, result,      \
		 moves, after)                                                                     \
	{#shown, moves},
#define SCP_SYSCALL(name, always, result, moves) {#name, moves},
#include "preload/function/wrappers.def"
#undef SCP_WRAP
#undef SCP_SYSCALL
	};
	unsigned moving = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bool counted = ledger_counted_as(all[i].name, SCP_GROUP_IO);
		bool listed = false;

		for (size_t k = 0; k < sizeof(not_counted) / sizeof(*not_counted); k++)
			listed |= !strcmp(all[i].name, not_counted[k]);
		moving += all[i].moves;
		if (all[i].moves ? counted == listed : counted)
			fail_msg("%s: %s", all[i].name, counted ? "counted" : "not counted");
	}
	assert_true(moving > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_estimated_share_is_within_the_whole),
		cmocka_unit_test(shares_are_of_the_processes_totals),
		cmocka_unit_test(what_is_not_known_of_all_processes_has_no_share),
		cmocka_unit_test(waits_have_a_share_only_where_switches_are_seen),
		cmocka_unit_test(waits_are_estimated_beside_those_of_gaps),
		cmocka_unit_test(a_clock_of_cpu_time_needs_no_detector),
		cmocka_unit_test(totals_that_are_older_than_the_calls_are_at_least_what_those_are),
		cmocka_unit_test(every_function_that_moves_bytes_is_decided),
	};

	return cmocka_run_group_tests_name("report ledger", tests, NULL, NULL);
}
