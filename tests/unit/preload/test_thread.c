// SPDX-License-Identifier: GPL-3.0-or-later
/* Whose a thread's state is, and of which session, where a handler or the session's end comes in
 * between. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/call/path_cache.h"
#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/region/region.h"
#include "preload/system/sys.h"
#include "tests/unit/preload/made_thread.h"

#define ROOM (256u << 10)

/* Recording begins anew, with a file of so many bytes that never grows. */
static void begin_session(uint64_t room)
{
	static _Alignas(4096) uint8_t memory[2][ROOM]; /* of this session, and of the one before */
	struct profile_file *f = calloc(1, sizeof *f);
	uint8_t *at = memory[process.session & 1];

	f->header = calloc(1, sizeof *f->header);
	f->region[0] = (struct file_region){at, SCP_HEADER_BYTES, room, 0};
	memset(at, 0, ROOM);
	f->regions = f->growing = 1;
	f->pid = (uint32_t)sys_getpid();
	process.file = f;
	process.session++;
	process.first_generation = process.generation + 1;
	process_epoch.now.session = process.session;
	process_next_generation();
	process_groups = SCP_GROUP_IO;
	clock_chosen.kind = SCP_CLOCK_MONOTONIC;
	filter.depth = SCP_MAX_FRAMES;
}

static void *take(void *unused)
{
	(void)unused;
	return thread_state_take(false);
}

static struct scp_thread *take_in_another_thread(void)
{
	pthread_t thread;
	void *taken = NULL;

	assert_int_equal(pthread_create(&thread, NULL, take, NULL), 0);
	assert_int_equal(pthread_join(thread, &taken), 0);
	assert_non_null(taken);
	return taken;
}

static bool renew(struct scp_thread *t)
{
	thread_mark(t, (uintptr_t)__builtin_frame_address(0));
	return thread_renew(t);
}

/* What a handler has interrupted may be about to mark it. */
static void test_a_state_that_finds_no_room_stays_the_threads_own(void **state)
{
	struct scp_thread *t;

	(void)state;
	begin_session(ROOM);
	t = thread_acquire();
	assert_non_null(t);
	begin_session(0);
	assert_false(renew(t));
	assert_null(thread_self);
	assert_true(t->open == 0 && t->session == 0);
	assert_ptr_not_equal(take_in_another_thread(), t);
	assert_null(thread_acquire());
	assert_ptr_not_equal(take_in_another_thread(), t);
	begin_session(ROOM);
	assert_ptr_equal(thread_acquire(), t);
	assert_ptr_equal(thread_self, t);
}

#ifdef __x86_64__
static void renew_to_be_left(void *t)
{
	renew(t);
}

static void acquire_to_be_left(void *unused)
{
	(void)unused;
	thread_acquire();
}

/* As if it had just been mapped, with memory for its index: that is not forgotten word by word. */
static void empty(struct scp_thread *t)
{
	struct scp_thread *next = t->next;
	const struct arena index = t->index;
	uint32_t owned = t->owned;

	memset(t, 0, sizeof *t);
	t->next = next;
	t->index = index;
	t->owned = owned;
	arena_reset(&t->index);
}

static void leave_at_each_instruction(void (*f)(void *))
{
	bool gone = true;

	for (long n = 1; gone; n += left_stride() * 97) {
		struct scp_thread *t;
		thread_self = NULL;
		t = thread_acquire();
		assert_non_null(t);
		begin_session(ROOM);
		empty(t);
		sys_sandboxed = 1;
		gone = left_after(n, f, t);
		sys_sandboxed = 0;
		if (!thread_is_stale(t))
			assert_true(t->file == process.file && t->table && t->path_slots);
		begin_session(ROOM);
	}
}

static void test_a_state_that_is_left_while_it_begins_is_of_no_session(void **state)
{
	(void)state;
	begin_session(ROOM);
	leave_at_each_instruction(renew_to_be_left);
	leave_at_each_instruction(acquire_to_be_left);
}
#endif

/* A session ends while a thread looks for a call's path: its file may be gone, and its modules have
 * other numbers in the next one. */
static void test_a_path_that_is_found_after_the_end_is_not_recorded(void **state)
{
	const uint64_t *frame = __builtin_frame_address(0);
	struct walk_start from = {frame[1], (uint64_t)(frame + 2), frame[0], 0};
	struct scp_thread *t;
	uint32_t paths;

	(void)state;
	thread_self = NULL;
	begin_session(ROOM);
	t = thread_acquire();
	assert_non_null(t);
	assert_non_null(path_cache_find(t, &from, 1));
	assert_int_equal(t->generation, process_epoch.now.generation);
	paths = t->paths;
	from.ra = (uint64_t)begin_session;
	process_epoch.now.session = process_epoch.now.generation = 0;
	assert_null(path_cache_find(t, &from, 1));
	assert_int_not_equal(t->generation, 0);
	begin_session(ROOM);
	assert_true(process_is_over(t->generation));
	assert_null(path_cache_find(t, &from, 1));
	assert_int_not_equal(t->generation, process_epoch.now.generation);
	assert_int_equal(t->paths, paths);
}

/* The thread's file may be gone: nothing is written before it is one of the session's. */
static void test_markers_look_at_the_session(void **state)
{
	const uint64_t *frame = __builtin_frame_address(0);
	struct scprof_site site = {"passed", 1, {0}}, other = {"other", 1, {0}};
	struct scp_thread *t;
	uint32_t passed;
	char name[8];

	(void)state;
	thread_self = NULL;
	begin_session(ROOM);
	t = thread_acquire();
	assert_non_null(t);
	process_groups = SCP_GROUP_REGION;
	assert_non_null(region_begin(0, REGION_PLAIN, 0, frame[1], (uint64_t)(frame + 2),
				     frame[0])); /* 0: without a name */
	begin_session(ROOM);
	process_groups = SCP_GROUP_REGION;
	assert_null(region_begin(0, REGION_PLAIN, 0, frame[1], (uint64_t)(frame + 2), frame[0]));
	assert_true(thread_is_stale(t));
	scprof_regions_1.point(&site);
	assert_false(thread_is_stale(t));
	passed = t->point.name;
	assert_int_not_equal(passed, 0);
	assert_int_not_equal(region_site_name(&other), 0);
	for (unsigned i = 0; i < REGION_NAMES_MAX; i++) { /* there is none for the two points */
		snprintf(name, sizeof name, "%u", i);
		region_name(name, REGION_NAMED_LIKE, SCP_GROUP_REGION);
	}
	begin_session(ROOM);
	process_groups = SCP_GROUP_REGION;
	scprof_regions_1.point(&other);
	assert_true(thread_is_stale(t));
	assert_int_equal(t->point.name, passed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_state_that_finds_no_room_stays_the_threads_own),
#ifdef __x86_64__
		cmocka_unit_test(test_a_state_that_is_left_while_it_begins_is_of_no_session),
#endif
		cmocka_unit_test(test_a_path_that_is_found_after_the_end_is_not_recorded),
		cmocka_unit_test(test_markers_look_at_the_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
