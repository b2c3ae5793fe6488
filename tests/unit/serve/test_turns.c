// SPDX-License-Identifier: GPL-3.0-or-later
/* Nobody's renderings take all turns, and none is kept waiting by those of one user or service. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "report/serve/render/rendering.h"

/* Who would have to wait goes away instead. */
static bool goes(int client)
{
	(void)client;
	return true;
}

static bool enters(struct renderings *all, struct rendering *one)
{
	return renderings_enter(all, one, goes, -1) == RENDERINGS_YOURS;
}

static struct rendering *add(struct renderings *all, unsigned service, uint32_t owner)
{
	char name[16];
	struct rendering *one;

	snprintf(name, sizeof(name), "%u", service);
	one = renderings_add(all, name, owner);
	assert_non_null(one);
	return one;
}

static void few_have_a_turn_at_a_time(void **state)
{
	struct rendering *one[RENDERINGS_MOST + 1];
	struct renderings all;

	(void)state;
	renderings_begin(&all, false);
	for (unsigned i = 0; i <= RENDERINGS_MOST; i++)
		one[i] = add(&all, i, 7);
	for (unsigned i = 0; i < RENDERINGS_MOST; i++)
		assert_true(enters(&all, one[i]));
	assert_false(enters(&all, one[RENDERINGS_MOST]));
	renderings_leave(&all, one[1]);
	assert_true(enters(&all, one[RENDERINGS_MOST]));
	assert_false(enters(&all, one[1]));
	renderings_end(&all);
}

static void a_service_has_one_turn(void **state)
{
	struct rendering *first, *second, *other;
	struct renderings all;

	(void)state;
	renderings_begin(&all, false);
	first = add(&all, 1, 7);
	second = add(&all, 1, 7);
	other = add(&all, 2, 7);
	assert_true(enters(&all, first));
	assert_false(enters(&all, second));
	assert_true(enters(&all, other));
	renderings_remove(&all, first);
	assert_true(enters(&all, second));
	renderings_end(&all);
}

static void root_has_all_of_them(void **state)
{
	struct renderings all;

	(void)state;
	renderings_begin(&all, true);
	for (unsigned i = 0; i < RENDERINGS_MOST; i++)
		assert_true(enters(&all, add(&all, i, i ? 0 : SNAPSHOT_NO_OWNER)));
	renderings_end(&all);
}

static void a_user_has_half_of_the_turns_where_there_are_several(void **state)
{
	struct rendering *one[RENDERINGS_OF_OWNER + 2];
	struct renderings all;

	(void)state;
	renderings_begin(&all, true);
	for (unsigned i = 0; i < RENDERINGS_OF_OWNER + 2; i++)
		one[i] = add(&all, i, i <= RENDERINGS_OF_OWNER ? 7 : 8);
	for (unsigned i = 0; i < RENDERINGS_OF_OWNER; i++)
		assert_true(enters(&all, one[i]));
	assert_false(enters(&all, one[RENDERINGS_OF_OWNER]));
	assert_true(enters(&all, one[RENDERINGS_OF_OWNER + 1]));
	renderings_end(&all);
}

/* A place becomes free: it is not for the user who has one, though he came first. */
static void who_has_fewest_goes_first(void **state)
{
	struct rendering *one[RENDERINGS_MOST], *greedy, *modest;
	struct renderings all;

	(void)state;
	renderings_begin(&all, true);
	for (unsigned i = 0; i < RENDERINGS_MOST; i++) {
		one[i] = add(&all, i, 7 + i / RENDERINGS_OF_OWNER);
		assert_true(enters(&all, one[i]));
	}
	greedy = add(&all, 10, 7);
	modest = add(&all, 11, 1000);
	greedy->state = modest->state = RENDERING_WAITS;
	renderings_leave(&all, one[0]);
	assert_false(enters(&all, greedy));
	greedy->state = RENDERING_WAITS;
	assert_true(enters(&all, modest));
	renderings_end(&all);
}

static void who_came_first_goes_first(void **state)
{
	struct rendering *first, *second;
	struct renderings all;

	(void)state;
	renderings_begin(&all, true);
	first = add(&all, 1, 7);
	second = add(&all, 1, 7);
	first->state = RENDERING_WAITS;
	assert_false(enters(&all, second));
	assert_true(enters(&all, first));
	renderings_end(&all);
}

/* Its process sits in the kernel, and may have all that a rendering takes. */
static void what_cannot_be_ended_keeps_its_turn(void **state)
{
	struct rendering *stuck, *again;
	struct renderings all;

	(void)state;
	renderings_begin(&all, false);
	stuck = add(&all, 1, 7);
	again = add(&all, 1, 7);
	assert_true(enters(&all, stuck));
	stuck->pid = 1; /* no child of ours: it is as if it had been reaped */
	renderings_remove(&all, stuck);
	assert_false(enters(&all, again));
	renderings_tend(&all);
	assert_true(enters(&all, again));
	renderings_end(&all);
}

static void none_has_a_turn_when_the_end_has_come(void **state)
{
	struct renderings all;

	(void)state;
	renderings_begin(&all, false);
	renderings_stop(&all);
	assert_false(enters(&all, add(&all, 1, 7)));
	renderings_end(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_have_a_turn_at_a_time),
		cmocka_unit_test(a_service_has_one_turn),
		cmocka_unit_test(a_user_has_half_of_the_turns_where_there_are_several),
		cmocka_unit_test(root_has_all_of_them),
		cmocka_unit_test(who_has_fewest_goes_first),
		cmocka_unit_test(who_came_first_goes_first),
		cmocka_unit_test(what_cannot_be_ended_keeps_its_turn),
		cmocka_unit_test(none_has_a_turn_when_the_end_has_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
