// SPDX-License-Identifier: GPL-3.0-or-later
/* A frame keeps its module when another thread is numbering one, or grows the file, at that moment.
 * The other is held there until the first sleeps, or has given up: no time decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <sched.h>

#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"

#define ROOM	65536u
#define THREADS 8

static struct scp_header header;

static int begin(void **state)
{
	(void)state;
	free(process.chunk.chunk);
	process.chunk = (struct file_chunk){
		.chunk = calloc(1, ROOM), .bytes = ROOM, .used = sizeof(struct scp_chunk)};
	process.file->header = &header;
	header.losses.modules_lost = 0;
	process_epoch.now.generation = 1;
	modules_reset();
	return process.chunk.chunk ? 0 : -1;
}

static uint64_t code_of_another_object(void)
{
	return (uint64_t)(uintptr_t)&expm1;
}

static struct asking {
	uint64_t frame[THREADS];
	unsigned number, done;
} asking;

static void *ask(void *argument)
{
	unsigned i = __atomic_fetch_add(&asking.number, 1, __ATOMIC_RELAXED);

	(void)argument;
	asking.frame[i] = modules_frame(code_of_another_object() + 1, false);
	__atomic_add_fetch(&asking.done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* The threads ask while this one may add records; it goes on when one of them sleeps for it, or
 * all have an answer. */
static void let_them_ask(void *argument)
{
	pthread_t *thread = argument;
	unsigned done = 0;

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, ask, NULL), 0);
	while (__atomic_load_n(&process.chunk_busy, __ATOMIC_RELAXED) == 1 && done < THREADS) {
		sched_yield();
		done = __atomic_load_n(&asking.done, __ATOMIC_ACQUIRE);
	}
}

/* A thread gives up after a second, which one that holds the right may be without a CPU for on a
 * machine that stands still: such a round says nothing. */
#define ROUNDS 10

static void test_a_thread_waits_for_one_that_numbers_modules(void **state)
{
	pthread_t thread[THREADS];
	uint64_t signals;

	for (unsigned round = 0; round < ROUNDS && (!round || header.losses.modules_lost);
	     round++) {
		begin(state);
		asking = (struct asking){0};
		assert_true(modules_enter(&signals));
		let_them_ask(thread);
		modules_leave(&signals);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(SCP_FRAME_MODULE(asking.frame[i]), 1);
	assert_int_equal(header.losses.modules_lost, 0);
	assert_int_equal(process.chunk_busy, 0);
}

static void test_a_thread_that_was_stopped_is_not_waited_for(void **state)
{
	(void)state;
	process.chunk_busy = 1; /* for ever */
	assert_int_equal(SCP_FRAME_MODULE(modules_frame(code_of_another_object() + 1, false)), 0);
	assert_int_equal(header.losses.modules_lost, 1);
	assert_int_equal(process.chunk_busy, 2);
	process.chunk_busy = 1;
	assert_int_equal(SCP_FRAME_MODULE(modules_frame(code_of_another_object() + 1, false)), 0);
	assert_int_equal(header.losses.modules_lost, 2);
	assert_int_equal(process.chunk_busy, 1); /* who slept would have made it 2 */
	sys_sandboxed = 1;
	process.chunk_busy = 1;
	assert_int_equal(SCP_FRAME_MODULE(modules_frame(code_of_another_object() + 1, false)), 0);
	sys_sandboxed = 0;
	assert_int_equal(header.losses.modules_lost, 3);
	assert_int_equal(process.chunk_busy, 1); /* as it was: no thread sleeps */
	process.chunk_busy = 0;
	assert_int_equal(SCP_FRAME_MODULE(modules_frame(code_of_another_object() + 1, false)), 1);
	modules_reset();
	process.chunk_busy = 1; /* it was given back: threads sleep again */
	assert_int_equal(SCP_FRAME_MODULE(modules_frame(code_of_another_object() + 1, false)), 0);
	assert_int_equal(process.chunk_busy, 2);
	process.chunk_busy = 0;
}

/* What the kernel calls the state of a thread: S is asleep. */
static char state_of(int tid)
{
	char path[64], line[256] = "";
	const char *end;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	end = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return end ? end[2] : 0;
}

static void *ask_alone(void *argument)
{
	__atomic_store_n((int *)argument, sys_gettid(), __ATOMIC_RELEASE);
	return ask(NULL);
}

/* A thread that needs room for modules, while another grows the file. */
static void ask_while_it_grows(uint8_t *room)
{
	int tid = 0;
	pthread_t thread;

	asking = (struct asking){0};
	process.chunk.bytes = process.chunk.used; /* full */
	process.file->regions = 1;
	process.file->region[0] = (struct file_region){.at = room, .bytes = ROOM, .used = ROOM};
	process.file->growing = 1;
	assert_int_equal(pthread_create(&thread, NULL, ask_alone, &tid), 0);
	while (!__atomic_load_n(&asking.done, __ATOMIC_ACQUIRE) &&
	       (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE) || state_of(tid) != 'S'))
		sched_yield();
	__atomic_store_n(&process.file->region[0].used, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&process.file->growing, 0, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

static void test_a_file_that_grows_is_waited_for(void **state)
{
	uint8_t *room = aligned_alloc(SCP_GRANULE, ROOM);

	assert_non_null(room);
	for (unsigned round = 0; round < ROUNDS && (!round || header.losses.modules_lost);
	     round++) {
		begin(state);
		ask_while_it_grows(room);
	}
	assert_int_equal(SCP_FRAME_MODULE(asking.frame[0]), 1);
	assert_int_equal(header.losses.modules_lost, 0);
	process.file->regions = 0;
	process.chunk.chunk = NULL;
	free(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_thread_waits_for_one_that_numbers_modules, begin),
		cmocka_unit_test_setup(test_a_file_that_grows_is_waited_for, begin),
		cmocka_unit_test_setup(test_a_thread_that_was_stopped_is_not_waited_for, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
