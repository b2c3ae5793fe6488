// SPDX-License-Identifier: GPL-3.0-or-later
/* How the library chooses and keeps the slowest calls, with all around it replaced: the
 * file is an array here, and the clock's reading in the middle of a record is the moment
 * at which a process would be killed, or a handler would leave for good.
 */
#include <time.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/function/function.h"
#include "preload/clock/clock.h"
#include "preload/function/selected.h"
#include "preload/process/process.h"
#include "preload/function/region_name.h"
#include "preload/process/settings.h"
#include "preload/system/stack.h"
#include "preload/table/slowest.h"
#include "preload/system/sys.h"

#define GRANULES 40u

struct clock_choice clock_chosen;
static struct profile_file process_file;
struct process process = {.file = &process_file};
struct settings settings;

static _Alignas(4096) uint8_t file[GRANULES][SCP_GRANULE];
static uint32_t granules, granules_most;
static struct scp_header header;
static struct scp_table table = {.id = 1, .name = "worker"};
static struct scp_rt entry = {.id = 5, .function = 7};
static struct scp_function send_record = {.library = "libc.so.6"};
static void (*in_the_middle)(void);
static bool rate_known;
static uint64_t unit_ps = 1000, resolution = 1;

void *arena_take(struct arena *a, size_t bytes)
{
	(void)a;
	return calloc(1, bytes);
}

/* The counter runs at 2.5 units a nanosecond. */
uint64_t clock_units_of(uint64_t ns)
{
	if (clock_chosen.kind == SCP_CLOCK_TSC)
		return rate_known ? ns * 5 / 2 : 0;
	return (ns * 1000 + unit_ps - 1) / unit_ps;
}

uint64_t clock_system_ns(int id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
	if (in_the_middle)
		in_the_middle();
	return 12345;
}

size_t stack_room(void)
{
	return SIZE_MAX;
}

const char *region_name_text(uint32_t id, const char **library, uint32_t *group)
{
	*library = "region";
	*group = SCP_GROUP_REGION;
	return id == REGION_FIRST ? "parse" : "print";
}

const struct function_info function_info[FN_COUNT] = {
	[0 ... FN_COUNT - 1] = {"send", "send", SCP_GROUP_SOCKET}};

const char *selected_name(uint32_t id)
{
	(void)id;
	return NULL;
}

uint32_t selected_slot(uint32_t function)
{
	return function;
}

bool file_optional_chunk(struct profile_file *f, struct file_chunk *chunk, uint32_t type,
			 uint32_t of)
{
	struct scp_chunk *c = (struct scp_chunk *)(void *)file[granules];

	(void)f;
	if (granules == granules_most)
		return false;
	granules++;
	*c = (struct scp_chunk){.type = type, .bytes = SCP_GRANULE, .used = sizeof *c, .table = of};
	*chunk = (struct file_chunk){.chunk = c, .bytes = c->bytes, .used = c->used};
	return true;
}

/* Not called: the table's own records. */
bool file_chunk(struct profile_file *f, struct file_chunk *c, uint64_t bytes, uint32_t type,
		uint32_t of)
{
	return f && c && bytes && type && of;
}

static struct scp_thread *begin(uint32_t count, uint64_t least_ns, uint32_t kind)
{
	struct scp_thread *t = calloc(1, sizeof *t);

	memset(file, 0, sizeof file);
	granules = 0;
	granules_most = GRANULES;
	in_the_middle = NULL;
	header = (struct scp_header){0};
	clock_chosen.described = (struct scp_clock){
		.kind = kind, .resolution_units = resolution, .unit_ps = unit_ps};
	process.file->header = &header;
	process.function[7] = &send_record;
	settings.slowest = (struct slowest_settings){.count = count, .least_ns = least_ns};
	clock_chosen.kind = kind;
	memset(&slowest_known, 0, sizeof slowest_known);
	t->table = &table;
	t->table_id = table.id;
	t->tid = 33;
	slowest_begin(t);
	return t;
}

static void end(struct scp_thread *t)
{
	free(t->slowest.slot);
	free(t->slowest.units);
	free(t);
}

/* As call_end.c does. */
static void call(struct scp_thread *t, uint64_t units)
{
	if (units > t->slowest.limit)
		slowest_note(t, &entry, units, 0, 1000000, units / 3, NULL);
}

static int longest_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* What a reader would find: the whole records, longest first. */
static uint32_t whole(uint64_t *units, uint32_t room)
{
	uint32_t n = 0;

	for (uint32_t g = 0; g < granules; g++) {
		const struct scp_chunk *c = (const struct scp_chunk *)(const void *)file[g];

		for (uint64_t at = sizeof *c; at < c->used; at += sizeof(struct scp_slowest)) {
			const struct scp_slowest *s =
				(const struct scp_slowest *)(const void *)(file[g] + at);

			assert_int_equal(s->rec.type, SCP_REC_SLOWEST);
			if (s->seq & 1)
				continue;
			assert_true(n < room);
			assert_int_equal(s->bytes, s->units / 3); /* of one call */
			assert_int_equal(s->entry, 5);
			units[n++] = s->units;
		}
	}
	qsort(units, n, sizeof *units, longest_first);
	return n;
}

static uint64_t calls[5000];
static uint32_t made, most;

/* The longest of the first `n` calls are in the file, whole. */
static void expect_longest(uint32_t n)
{
	uint64_t sorted[5000], found[1001] = {0};
	uint32_t count = n < most ? n : most;

	memcpy(sorted, calls, n * sizeof *calls);
	qsort(sorted, n, sizeof *sorted, longest_first);
	assert_true(whole(found, 1001) >= count);
	assert_memory_equal(found, sorted, count * sizeof *found);
}

static void expect_longest_before(void)
{
	expect_longest(made);
}

static void make_calls(uint32_t count)
{
	struct scp_thread *t = begin(count, 0, SCP_CLOCK_MONOTONIC);

	srand(20261121);
	most = count;
	in_the_middle = expect_longest_before; /* killed there, nothing finished is lost */
	for (made = 0; made < 5000; made++) {
		calls[made] = 1 + (uint64_t)rand() % 100000;
		call(t, calls[made]);
		if (made % 100 == 99)
			expect_longest(made + 1);
	}
	expect_longest(5000);
	assert_int_equal(t->slowest.used, count + 1);
	end(t);
}

static void test_the_longest_are_kept_at_every_moment(void **state)
{
	(void)state;
	make_calls(1);
	make_calls(20);
	make_calls(30); /* 31 records fill a granule */
	make_calls(1000);
}

static void test_shorter_calls_do_not_come_here_any_more(void **state)
{
	struct scp_thread *t = begin(3, 0, SCP_CLOCK_MONOTONIC);

	(void)state;
	for (uint64_t i = 1; i <= 10; i++)
		call(t, 10 * i);
	assert_int_equal(t->slowest.limit, 80);
	assert_int_equal(t->fast_limit, 80);
	call(t, 5000000000);
	call(t, 5000000001);
	call(t, 5000000002);
	assert_int_equal(t->slowest.limit, 5000000000);
	assert_int_equal(t->fast_limit, UINT32_MAX); /* the fast path counts in 32 bits */
	end(t);
}

static void test_without_the_option_no_call_comes_here(void **state)
{
	struct scp_thread *t = begin(0, 0, SCP_CLOCK_TSC);

	(void)state;
	assert_true(t->slowest.limit == UINT64_MAX);
	assert_int_equal(t->fast_limit, UINT32_MAX);
	end(t);
}

static jmp_buf away;

static void leave(void)
{
	longjmp(away, 1);
}

static void test_a_handler_that_leaves_in_the_middle_loses_its_call_only(void **state)
{
	struct scp_thread *t = begin(3, 0, SCP_CLOCK_MONOTONIC);
	uint64_t found[8] = {0};

	(void)state;
	for (uint64_t i = 1; i <= 5; i++)
		call(t, i);
	for (int i = 0; i < 3; i++) {
		in_the_middle = leave;
		if (!setjmp(away))
			call(t, 100);
		in_the_middle = NULL;
		assert_int_equal(whole(found, 8), 3);
	}
	call(t, 6);
	call(t, 7);
	assert_int_equal(whole(found, 8), 4);
	assert_int_equal(found[0], 7);
	assert_int_equal(found[1], 6);
	assert_int_equal(found[2], 5);
	assert_int_equal(t->slowest.limit, 5);
	end(t);
}

static void test_thresholds_are_in_the_units_of_the_clock(void **state)
{
	struct scp_thread *t = begin(3, 500, SCP_CLOCK_MONOTONIC);

	(void)state;
	assert_int_equal(t->slowest.limit, 499);
	end(t);
	unit_ps = 2000000000; /* 2 ms: 5 are two and a half */
	t = begin(3, 5000000, SCP_CLOCK_PAGE);
	assert_int_equal(t->slowest.limit, 2);
	unit_ps = 1000;
	end(t);
}

static void test_a_single_tick_is_no_slow_call(void **state)
{
	struct scp_thread *t = begin(3, 0, SCP_CLOCK_PAGE);

	(void)state;
	assert_int_equal(t->slowest.limit, 1);
	end(t);
	resolution = 4000000;
	t = begin(3, 0, SCP_CLOCK_COARSE);
	resolution = 1;
	assert_int_equal(t->slowest.limit, 7999999);
	end(t);
}

static void test_the_counters_rate_is_awaited(void **state)
{
	struct scp_thread *t = begin(3, 1000, SCP_CLOCK_TSC);

	(void)state;
	call(t, 1);
	assert_int_equal(t->slowest.limit, 0);
	rate_known = true;
	call(t, 1);
	assert_int_equal(t->slowest.limit, 2500 - 25 - 1); /* 1 % is left to the reader */
	end(t);
}

static void test_a_file_without_room_is_counted_once(void **state)
{
	struct scp_thread *t = begin(40, 0, SCP_CLOCK_MONOTONIC);

	(void)state;
	granules_most = 1;
	for (uint64_t i = 1; i <= 100; i++)
		call(t, i);
	assert_int_equal(t->slowest.used, 31);
	assert_true(t->slowest.limit == UINT64_MAX);
	assert_int_equal(header.slowest.lost, 1);
	end(t);
}

static bool reads(const char *count, const char *least, struct slowest_settings *s)
{
	slowest_settings_read(count, least, NULL, s);
	return !s->unread;
}

static void test_what_the_environment_says(void **state)
{
	static const char *const bad[] = {"0", "1001", "-1", "20 ", "x", "99999999999"};
	static const char *const no_time[] = {"5",     "ms", ".5ms", "5.ms",
					      "0.5ns", "1h", "1 ms", "99999999999999999999ns"};
	struct slowest_settings s;

	(void)state;
	assert_true(reads(NULL, NULL, &s));
	assert_int_equal(s.count, 0);
	assert_true(reads(NULL, NULL, &s));
	assert_int_equal(s.count, 0);
	assert_true(reads("1000", "0.5ms", &s));
	assert_int_equal(s.count, 1000);
	assert_int_equal(s.least_ns, 500000);
	assert_true(reads("0000000000012", NULL, &s));
	assert_int_equal(s.count, 12);
	assert_true(reads(NULL, "1.25s", &s));
	assert_int_equal(s.count, SLOWEST_DEFAULT);
	assert_int_equal(s.least_ns, 1250000000);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		if (reads(bad[i], NULL, &s) || s.count)
			fail_msg("'%s' was read", bad[i]);
	for (unsigned i = 0; i < sizeof no_time / sizeof *no_time; i++)
		if (reads("5", no_time[i], &s) || s.count)
			fail_msg("'%s' was read", no_time[i]);
}

/* Redis, among others, shows its title where the environment was. */
static void test_the_environment_may_be_written_over(void **state)
{
	char count[] = "5", patterns[] = "send";
	struct slowest_settings s;

	(void)state;
	slowest_settings_read(count, NULL, patterns, &s);
	memset(patterns, 'x', sizeof patterns - 1);
	assert_true(slowest_settings_want(&s, "send", "libc.so.6", SCP_GROUP_SOCKET));
}

static void test_patterns_that_find_no_room_are_not_cut(void **state)
{
	char patterns[SCP_SLOWEST_PATTERNS + 1];
	struct slowest_settings s;

	(void)state;
	memset(patterns, 'x', sizeof patterns);
	patterns[sizeof patterns - 1] = 0;
	slowest_settings_read(NULL, NULL, patterns, &s);
	assert_true(s.unread && !s.count);
	patterns[sizeof patterns - 2] = 0;
	slowest_settings_read(NULL, NULL, patterns, &s);
	assert_true(!s.unread && s.count == SLOWEST_DEFAULT);
}

static bool wants(const char *patterns, const char *name, uint32_t group)
{
	struct slowest_settings s = {0};

	slowest_settings_read(NULL, NULL, patterns, &s);

	return slowest_settings_want(&s, name, "libssl.so.3", group);
}

static void test_patterns_choose_functions(void **state)
{
	(void)state;
	assert_true(wants(NULL, "send", SCP_GROUP_SOCKET | SCP_GROUP_IO));
	assert_false(wants(NULL, "poll", SCP_GROUP_WAIT));
	assert_false(wants(NULL, "accept", SCP_GROUP_SOCKET | SCP_GROUP_IO));
	assert_true(wants(NULL, "accept", SCP_GROUP_REGION));
	assert_true(wants("poll", "poll", SCP_GROUP_WAIT));
	assert_false(wants("poll", "send", SCP_GROUP_SOCKET));
	assert_true(wants("!recv*", "send", SCP_GROUP_SOCKET));
	assert_false(wants("!recv*", "recvfrom", SCP_GROUP_SOCKET));
	assert_false(wants("!recv*", "poll", SCP_GROUP_WAIT));
	assert_true(wants("*,!recv*,recvmsg", "recvmsg", SCP_GROUP_SOCKET));
	assert_false(wants("*,!recv*,recvmsg", "recvmmsg", SCP_GROUP_SOCKET));
	assert_true(wants("libssl*:SSL_*", "SSL_read", SCP_GROUP_SELECTED));
	assert_false(wants("libc.*:SSL_*", "SSL_read", SCP_GROUP_SELECTED));
	assert_true(wants("io::*", "io::load", SCP_GROUP_SELECTED));
	assert_true(wants("libssl*:io::?oad", "io::load", SCP_GROUP_SELECTED));
	assert_false(wants("se?", "send", SCP_GROUP_SOCKET));
	assert_true(wants("*a*b", "aXaXb", SCP_GROUP_SOCKET));
}

/* Regions have no record that the process keeps. */
static void test_unwanted_functions_are_passed_over(void **state)
{
	struct scp_thread *t = begin(3, 0, SCP_CLOCK_MONOTONIC);
	uint64_t found[8] = {0};

	(void)state;
	strcpy(settings.slowest.patterns, "parse");
	entry.function = REGION_FIRST + 1;
	call(t, 100);
	assert_int_equal(whole(found, 8), 0);
	entry.function = REGION_FIRST;
	call(t, 50);
	assert_int_equal(whole(found, 8), 1);
	entry.function = 7;
	end(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_longest_are_kept_at_every_moment),
		cmocka_unit_test(test_shorter_calls_do_not_come_here_any_more),
		cmocka_unit_test(test_without_the_option_no_call_comes_here),
		cmocka_unit_test(test_a_handler_that_leaves_in_the_middle_loses_its_call_only),
		cmocka_unit_test(test_thresholds_are_in_the_units_of_the_clock),
		cmocka_unit_test(test_a_single_tick_is_no_slow_call),
		cmocka_unit_test(test_the_counters_rate_is_awaited),
		cmocka_unit_test(test_a_file_without_room_is_counted_once),
		cmocka_unit_test(test_what_the_environment_says),
		cmocka_unit_test(test_the_environment_may_be_written_over),
		cmocka_unit_test(test_patterns_that_find_no_room_are_not_cut),
		cmocka_unit_test(test_patterns_choose_functions),
		cmocka_unit_test(test_unwanted_functions_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
