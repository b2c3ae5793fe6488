// SPDX-License-Identifier: GPL-3.0-or-later
/* Components and cycles of graphs that can be checked on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/base/array.h"
#include "report/loops/loop_graph.h"

static struct loop_graph g;

static void nodes(uint32_t count)
{
	memset(&g, 0, sizeof(g));
	for (uint32_t i = 0; i < count; i++) {
		struct loop_node *n = ARRAY_APPEND(g.node, g.nodes);

		assert_non_null(n);
		n->site = i;
		n->sums.first_at = i;
	}
}

/* A gap of one unit; `count` of nodes is the start, or the end. */
static void edge(uint32_t from, uint32_t to, uint64_t calls)
{
	struct loop_edge *e = ARRAY_APPEND(g.edge, g.edges);

	assert_non_null(e);
	e->from = from;
	e->to = to;
	e->calls = e->units = calls;
}

static void settle(void)
{
	assert_int_equal(loop_graph_settle(&g), 0);
}

static uint32_t cycle(uint32_t component, uint32_t *path)
{
	uint32_t length;

	assert_int_equal(loop_cycle_find(&g, component, path, &length), 0);
	return length;
}

static void expect_path(const uint32_t *path, uint32_t length, const char *expected)
{
	char text[64] = "";

	for (uint32_t i = 0; i < length; i++)
		text[i] = (char)('0' + path[i]);
	assert_string_equal(text, expected);
}

static void test_equal_edges_are_one(void **state)
{
	(void)state;
	nodes(2);
	edge(0, 1, 5);
	edge(1, 0, 8);
	edge(0, 1, 3);
	settle();
	assert_int_equal(g.edges, 2);
	assert_int_equal(g.edge[0].calls, 8);
	assert_int_equal(g.edge[0].units, 8);
	assert_int_equal(g.node[0].visits, 8);
	loop_graph_clear(&g);
}

static void test_components_are_what_reaches_itself(void **state)
{
	struct loop_part *part;

	(void)state;
	/* 0 -> (1 <-> 2) -> 3 -> (4 to itself) -> 5 */
	nodes(6);
	edge(6, 0, 1);
	edge(0, 1, 1);
	edge(1, 2, 10);
	edge(2, 1, 9);
	edge(2, 3, 1);
	edge(3, 4, 1);
	edge(4, 4, 50);
	edge(4, 5, 1);
	edge(5, 6, 1);
	settle();
	assert_int_equal(g.components, 5);
	assert_int_equal(g.node[1].component, g.node[2].component);
	part = loop_graph_measure(&g);
	assert_non_null(part);
	assert_false(part[g.node[0].component].loop);
	assert_true(part[g.node[1].component].loop);
	assert_int_equal(part[g.node[1].component].units, 19);
	assert_false(part[g.node[3].component].loop);
	assert_true(part[g.node[4].component].loop);
	assert_int_equal(part[g.node[4].component].units, 50);
	assert_false(part[g.node[5].component].loop);
	free(part);
	loop_graph_clear(&g);
}

static void test_a_component_done_before_is_left_alone(void **state)
{
	(void)state;
	/* 1 <-> 2 leads to 0, which is met before them. */
	nodes(3);
	edge(3, 1, 1);
	edge(1, 2, 3);
	edge(2, 1, 2);
	edge(2, 0, 1);
	edge(0, 3, 1);
	settle();
	assert_int_equal(g.components, 2);
	assert_int_equal(g.node[1].component, g.node[2].component);
	assert_int_not_equal(g.node[0].component, g.node[1].component);
	loop_graph_clear(&g);
}

static void test_the_most_frequent_branch_is_the_way(void **state)
{
	uint32_t path[4] = {0};

	(void)state;
	nodes(4);
	edge(0, 1, 1000);
	edge(1, 2, 980);
	edge(1, 3, 20);
	edge(2, 0, 980);
	edge(3, 0, 19);
	settle();
	expect_path(path, cycle(0, path), "012");
	loop_graph_clear(&g);
}

/* wait -> (read -> write) 20 times -> wait: the wait is what tells the passes, though every
 * write is followed by a read 19 times of 20. A new connection is no part of the way. */
static void test_the_outer_loop_is_the_way(void **state)
{
	uint32_t path[4] = {0};

	(void)state;
	nodes(4);
	g.node[0].units = 50000;
	g.node[1].units = g.node[2].units = 20000;
	edge(0, 1, 990);
	edge(1, 2, 20000);
	edge(2, 1, 19000);
	edge(2, 0, 1000);
	edge(0, 3, 10);
	edge(3, 1, 10);
	settle();
	expect_path(path, cycle(0, path), "012");
	/* The same way, though only the walk from the wait finds it. */
	g.node[2].sums.first_at = 0;
	g.node[0].sums.first_at = 9;
	expect_path(path, cycle(0, path), "201");
	loop_graph_clear(&g);
}

static void test_a_state_that_follows_itself(void **state)
{
	uint32_t path[3] = {0};

	(void)state;
	/* read -> read 90 % in accept -> read -> close, and a loop of one alone */
	nodes(3);
	edge(0, 1, 100);
	edge(1, 1, 900);
	edge(1, 2, 100);
	edge(2, 0, 99);
	settle();
	expect_path(path, cycle(0, path), "012");
	loop_graph_clear(&g);
	nodes(1);
	edge(0, 0, 7);
	settle();
	expect_path(path, cycle(0, path), "0");
	loop_graph_clear(&g);
}

static void test_frequent_states_may_be_joined_by_rare_ones(void **state)
{
	uint32_t path[4] = {0};

	(void)state;
	/* Two loops of one, each a thousand times, joined by states that are passed once. */
	nodes(4);
	edge(0, 0, 1000);
	edge(0, 1, 2);
	edge(1, 2, 2);
	edge(2, 2, 1000);
	edge(2, 3, 2);
	edge(3, 0, 2);
	settle();
	expect_path(path, cycle(0, path), "0123");
	loop_graph_clear(&g);
}

static void test_the_state_called_first_comes_first(void **state)
{
	uint32_t path[3] = {0};

	(void)state;
	nodes(3);
	g.node[0].sums.first_at = 30;
	g.node[1].sums.first_at = 20;
	g.node[2].sums.first_at = 10;
	edge(0, 1, 10);
	edge(1, 2, 10);
	edge(2, 0, 10);
	settle();
	expect_path(path, cycle(0, path), "201");
	loop_graph_clear(&g);
}

/* Work that grows with the square of this would not end, nor would recursion. */
static void test_a_ring_of_many(void **state)
{
	const uint32_t many = 300000;
	uint32_t *path = calloc(many, sizeof(*path));

	(void)state;
	assert_non_null(path);
	nodes(many);
	for (uint32_t i = 0; i < many; i++) {
		edge(i, (i + 1) % many, 100);
		edge(i, (i * 7 + 1) % many, 1);
	}
	settle();
	assert_int_equal(g.components, 1);
	assert_int_equal(cycle(0, path), many);
	assert_int_equal(path[1], 1);
	loop_graph_clear(&g);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_edges_are_one),
		cmocka_unit_test(test_components_are_what_reaches_itself),
		cmocka_unit_test(test_a_component_done_before_is_left_alone),
		cmocka_unit_test(test_the_most_frequent_branch_is_the_way),
		cmocka_unit_test(test_the_outer_loop_is_the_way),
		cmocka_unit_test(test_a_state_that_follows_itself),
		cmocka_unit_test(test_frequent_states_may_be_joined_by_rare_ones),
		cmocka_unit_test(test_the_state_called_first_comes_first),
		cmocka_unit_test(test_a_ring_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
