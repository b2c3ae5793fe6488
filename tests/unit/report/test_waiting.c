// SPDX-License-Identifier: GPL-3.0-or-later
/* What functions take that are there to wait is in no share of work. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/containers/string_index.h"
#include "report/model/sites.h"
#include "report/render/stacks/flame.h"

static bool waits(const char *name, const char *library, uint32_t group)
{
	const struct prof_function f = {
		.name = (char *)name, .library = (char *)library, .group = group};

	return waiting_function(&f);
}

static void only_what_is_there_to_wait_waits(void **state)
{
	const uint32_t socket = SCP_GROUP_SOCKET | SCP_GROUP_IO;

	(void)state;
	assert_true(waits("epoll_pwait2", "libc.so.6", SCP_GROUP_WAIT));
	assert_true(waits("poll", "libvma.so", SCP_GROUP_WAIT));
	assert_true(waits("accept4", "libc.so.6", socket));
	assert_false(waits("recv", "libc.so.6", socket));
	assert_false(waits("connect", "libc.so.6", socket));
	assert_true(waits("nanosleep", "libc.so.6", SCP_GROUP_SELECTED));
	assert_true(waits("sem_wait", "libpthread.so.0", SCP_GROUP_SELECTED));
	assert_false(waits("pthread_mutex_lock", "libc.so.6", SCP_GROUP_SELECTED));
}

static void names_of_other_libraries_and_regions_are_work(void **state)
{
	(void)state;
	assert_false(waits("sleep", "libmine.so", SCP_GROUP_SELECTED));
	assert_false(waits("wait", "libc++.so.1", SCP_GROUP_SELECTED));
	assert_false(waits("accept", "libc.so.6", SCP_GROUP_REGION));
	assert_false(waits("pause", "libc.so.6", SCP_GROUP_FUNCTIONS));
}

/* recv, 8 ms of 10.0077 ms, becomes epoll_wait: what is left are send, 2.0007 ms, and close, 2 us;
 * of the 13.998 ms of both threads. */
static struct profile *with_waits(void)
{
	static char name[] = "epoll_wait";
	struct profile *p = fixture_profile();

	p->function[0].name = name;
	p->function[0].group = SCP_GROUP_WAIT;
	return p;
}

static struct report *build(const struct profile *p, enum report_by by, uint32_t keep)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;

	o.by = by;
	r = report_build_some(p, &o, keep);
	assert_non_null(r);
	return r;
}

static void shares_of_work_add_up_without_what_waits(void **state)
{
	struct report *r = build(with_waits(), REPORT_BY_PATH, UINT32_MAX);
	double share = 0;

	(void)state;
	assert_float_equal(r->waiting_ns, 8005000, 1e-6);
	for (uint32_t i = 0; i < r->sites; i++) {
		const struct report_site *s = &r->site[i];

		assert_int_equal(s->waits, s->function == 0);
		assert_int_equal(isnan(s->share), s->waits);
		assert_int_equal(isnan(s->waiting_share), !s->waits);
		if (s->waits)
			assert_float_equal(s->waiting_share, s->total_ns / 13998000, 1e-12);
		else
			share += s->share;
	}
	assert_float_equal(share, 1, 1e-12);
	report_free(r);
}

static void what_works_comes_first(void **state)
{
	static const uint32_t functions[] = {1, 2, 1, 0, 0}; /* send, close, the failed send */
	struct report *all = build(with_waits(), REPORT_BY_PATH, UINT32_MAX);
	struct report *two = build(with_waits(), REPORT_BY_PATH, 2);

	(void)state;
	assert_int_equal(all->sites, 5);
	for (uint32_t i = 0; i < all->sites; i++)
		assert_int_equal(all->site[i].function, functions[i]);
	for (uint32_t i = 0; i < two->kept; i++) {
		assert_int_equal(two->site[i].function, functions[i]);
		assert_float_equal(two->site[i].share, all->site[i].share, 0);
	}
	assert_float_equal(two->waiting_ns, all->waiting_ns, 0);
	report_free(all);
	report_free(two);
}

static void threads_and_processes_say_how_long_they_waited(void **state)
{
	struct report *r = build(with_waits(), REPORT_BY_THREAD, UINT32_MAX);

	(void)state;
	assert_string_equal(r->thread[0].name, "worker");
	assert_float_equal(r->thread[0].waiting_ns, 6000000, 0);
	assert_float_equal(r->thread[1].waiting_ns, 2005000, 0);
	assert_float_equal(r->process[0].waiting_ns, 8005000, 0);
	report_free(r);
}

static void a_flame_graph_has_a_tree_for_each(void **state)
{
	struct report *r = build(with_waits(), REPORT_BY_PATH, UINT32_MAX);
	struct string_index strings = {0};
	struct flame f;
	unsigned halves = 0;

	(void)state;
	assert_int_equal(flame_build(&f, r, &strings), 0);
	for (uint32_t i = 0; i < f.boxes; i++) {
		const struct flame_box *b = &f.box[i];

		assert_int_equal(b->depth == 1, b->kind == FLAME_WORK || b->kind == FLAME_WAITING);
		halves += b->depth == 1;
		if (b->kind == FLAME_WORK)
			assert_float_equal(b->share, b->value_ns / 13998000.0, 1e-12);
		if (b->kind == FLAME_WAITING)
			assert_float_equal(b->share, 8005000 / 13998000.0, 1e-12);
		if (b->kind == FLAME_CALL)
			assert_int_equal(b->waits, r->site[b->site].waits);
	}
	assert_int_equal(halves, 2);
	flame_free(&f);
	string_index_clear(&strings);
	report_free(r);
}

static void text_marks_what_waits(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text, *send, *wait;

	(void)state;
	o.by = REPORT_BY_FUNCTION;
	o.width = 120;
	o.full = true;
	text = fixture_print(with_waits(), &o);
	assert_non_null(strstr(text, ": 2.002 ms of work, 8.005 ms in functions that"));
	send = strstr(text, "\nsend ");
	wait = strstr(text, "\nepoll_wait ");
	assert_non_null(send);
	assert_true(wait > send);
	assert_non_null(strstr(wait, "waits 57.2 %"));
	free(text);
}

/* Of two rows one is close, 2 us, or epoll_wait, 8 ms. */
static void little_work_gives_its_room_to_long_waits(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text;

	(void)state;
	o.top = 2;
	o.width = 160;
	text = fixture_print(with_waits(), &o);
	assert_non_null(strstr(text, "\nsend "));
	assert_non_null(strstr(text, "\nepoll_wait "));
	assert_null(strstr(text, "\nclose "));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_there_to_wait_waits),
		cmocka_unit_test(names_of_other_libraries_and_regions_are_work),
		cmocka_unit_test(shares_of_work_add_up_without_what_waits),
		cmocka_unit_test(what_works_comes_first),
		cmocka_unit_test(threads_and_processes_say_how_long_they_waited),
		cmocka_unit_test(a_flame_graph_has_a_tree_for_each),
		cmocka_unit_test(text_marks_what_waits),
		cmocka_unit_test(little_work_gives_its_room_to_long_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
