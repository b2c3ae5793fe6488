// SPDX-License-Identifier: GPL-3.0-or-later
/* The cached walk finds what the full unwinder finds, from the same words: in random calls and
 * returns of functions with and without frame pointers, on two stacks that take turns, where
 * libraries take each other's place, and after it was left at any instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/call/walk.h"
#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/path_tree.h"
#include "tests/unit/preload/made_thread.h"
#include "tests/unit/preload/walked.h"

#define STEPS	 20000
#define DEEP	 40
#define PAGE	 4096u
#define ROOM	 (64 * PAGE)
#define NOINLINE __attribute__((noinline))

static struct scp_thread *t;
static const walked *kind; /* of the library that is loaded */
static uint64_t seed;
static long steps; /* that remain */
static struct {
	unsigned walks, cached, found, gone, left;
} seen;

/* A stack: how many of the library's functions, and where wrapped calls, are on it. */
static struct side {
	int depth, wrapped;
	uintptr_t open[DEEP + 1];
} side[2], *on = &side[0];

static uint32_t below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % n;
}

static void clear(void)
{
	t->found.frame_count = t->found.flags = t->found.noted_count = 0;
	t->found.path = (struct path_place){0, 0};
	t->found.used_fp = false;
	t->found.reach = 0;
	t->found.outer = OUTER_UNKNOWN;
}

/* Each word as it was read first. */
static uint32_t take_words(struct noted_word *out)
{
	uint32_t words = 0, k;

	for (uint32_t i = 0; i < t->found.noted_count; i++) {
		const struct noted_word *w = &t->found.noted[i];
		assert_int_equal(*(const uint64_t *)w->address, w->value);
		for (k = 0; k < words && out[k].address != w->address; k++)
			;
		if (k == words)
			out[words++] = *w;
	}
	return words;
}

static void compare(const struct walk_start *from)
{
	static struct noted_word ours[NOTED_MAX], theirs[NOTED_MAX];
	static struct walk_result cached;
	uint32_t words, count;

	clear();
	seen.walks++;
	if (!walk_find(t, from))
		return;
	seen.cached++;
	words = take_words(ours);
	cached = t->found;
	clear();
	full_walk_find(t, from);
	seen.found += cached.outer == OUTER_FOUND;
	seen.gone += from->outer && cached.outer == OUTER_GONE;
	assert_int_equal(cached.frame_count, t->found.frame_count);
	assert_memory_equal(cached.frame, t->found.frame, 8 * cached.frame_count);
	assert_int_equal(cached.flags, t->found.flags);
	assert_int_equal(cached.path.node, t->found.path.node);
	if (from->outer)
		assert_int_equal(cached.outer, t->found.outer);
	count = take_words(theirs);
	assert_int_equal(count, words);
	assert_int_equal(cached.used_fp, t->found.used_fp);
	assert_memory_equal(ours, theirs, count * sizeof *ours);
	if (from->outer)
		assert_int_equal(walk_search(t, from), full_walk_search(t, from));
}

#ifdef __x86_64__
static void find(void *from)
{
	clear();
	walk_find(t, from);
}

/* A handler leaves a walk for good. True: it came before the end. */
static bool leave_walk(struct walk_start from, long instructions)
{
	bool lost = t->walk.rows_lost, gone;

	if (!t->walk.rows || on != &side[0] || !stack_find(from.sp))
		return false;
	sys_sandboxed = 1; /* no signals are held */
	gone = left_after(instructions, find, &from);
	sys_sandboxed = 0;
	process.chunk_busy = 0;
	t->walk.rows_lost = lost;
	seen.left += gone;
	return gone;
}
#else
static bool leave_walk(struct walk_start from, long instructions)
{
	(void)from, (void)instructions;
	return false;
}
#endif

static uintptr_t choose_outer(void)
{
	uint32_t n = below(4);

	if (!n || !on->wrapped)
		return 0;
	if (n == 1) /* of a call that is no more */
		return on->open[below((uint32_t)on->wrapped)] + 16;
	return on->open[n == 2 ? on->wrapped - 1 : (int)below((uint32_t)on->wrapped)];
}

static NOINLINE void walk_here(struct script *s)
{
	struct walk_start from = {ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(), ARCH_CALLER_FP(), 0};

	(void)s;
	if (below(20) == 0)
		filter.depth = below(3) ? SCP_MAX_FRAMES : 1 + below(12);
	from.outer = choose_outer();
	if (below(128) == 0)
		leave_walk(from, 1 + below(below(8) ? 400 : 4000));
	if (below(4) == 0 && on->wrapped) { /* what is in the register may be anything */
		struct walk_start other = from;
		other.fp = on->open[below((uint32_t)on->wrapped)] - 16;
		compare(&other);
	}
	compare(&from);
}

/* As a wrapped call that calls back. */
static NOINLINE void wrapped(struct script *s)
{
	on->open[on->wrapped++] = ARCH_CALLER_SP();
	for (walked next; (next = s->choose(s));)
		next(s);
	on->wrapped--;
}

static ucontext_t context[2];
static uint8_t *stack; /* of the second one */
static bool runs_second;

static void run_second(void);

/* On a stack that may have come anew since, and be smaller. */
static void begin_second(void)
{
	size_t bytes = ROOM - below(8) * PAGE;

	assert_ptr_equal(
		mmap(stack, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		stack);
	assert_int_equal(mprotect(stack, bytes, PROT_READ | PROT_WRITE), 0);
	getcontext(&context[1]);
	context[1].uc_stack.ss_sp = stack;
	context[1].uc_stack.ss_size = bytes;
	context[1].uc_link = &context[0];
	makecontext(&context[1], run_second, 0);
	runs_second = true;
	side[1] = (struct side){0};
}

static void take_turns(void)
{
	if (on == &side[1]) {
		on = &side[0];
		swapcontext(&context[1], &context[0]);
		return;
	}
	if (!runs_second)
		begin_second();
	on = &side[1];
	swapcontext(&context[0], &context[1]);
	on = &side[0];
}

static walked choose(struct script *s)
{
	uint32_t n = below(100);

	(void)s;
	if (steps > 0)
		steps--;
	if (n < 3 && steps > 0)
		take_turns();
	if (steps > 0 && n < 45)
		return walk_here;
	if (steps <= 0 || n >= 74 || on->depth == DEEP) {
		on->depth--;
		return NULL;
	}
	on->depth++;
	if (n < 50)
		return wrapped;
	n = below(WALKED_KINDS * 8);
	/* That one leaves the cached walk: seldom, and the frames inside it with it. */
	return n == 0 ? kind[WALKED_ALIGNED] : kind[n % (WALKED_KINDS - 1)];
}

static void keep(long a, long b, long c, long d, long e)
{
	(void)a, (void)b, (void)c, (void)d, (void)e;
}

static struct script script = {choose, keep, 0};

static void run_second(void)
{
	kind[0](&script);
	runs_second = false;
	on = &side[0];
}

static void run(long count, uint64_t from_seed)
{
	seed = from_seed;
	for (steps = count; steps > 0;) {
		side[0] = (struct side){0};
		kind[below(WALKED_KINDS - 1)](&script);
	}
	while (runs_second)
		take_turns();
}

/* One of the libraries beside this program. */
static void *load(const char *name)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
	void *library;

	assert_true(n > 0);
	path[n] = 0;
	snprintf(strrchr(path, '/') + 1, 64, "walked_%s.so", name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	kind = dlsym(library, "walked_kind");
	assert_non_null(kind);
	return library;
}

/* As the library's own: see path_cache.c. */
static void unload(void *library)
{
	dlclose(library);
	t->generation = ++process_epoch.now.generation;
	walk_forget(t);
}

static int begin(void **state)
{
	(void)state;
	t = made_thread(1 << 20, 1 << 20);
	memset(&seen, 0, sizeof seen);
	on = &side[0];
	runs_second = false;
	stack = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return stack == MAP_FAILED;
}

static int end(void **state)
{
	(void)state;
	munmap(stack, ROOM);
	made_thread_free(t);
	return 0;
}

static void test_random(void **state)
{
	static const char *const name[] = {"a", "pointers"};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		void *library = load(name[i]);
		memset(&seen, 0, sizeof seen);
		run(STEPS, i + 1);
		unload(library);
		print_message("%s: %u walks, %u cached; outer found %u, gone %u; left %u\n",
			      name[i], seen.walks, seen.cached, seen.found, seen.gone, seen.left);
		assert_true(seen.cached > seen.walks / 2);
		assert_true(seen.found > 100);
		assert_true(seen.gone > 100);
	}
}

#ifdef __x86_64__
/* Of two paths that take turns one is left on the way, further on each time; then one is walked. */
static struct {
	long instructions;
	unsigned times, turn, level;
	bool gone;
} leaving;

static NOINLINE void walk_or_leave(struct script *s)
{
	struct walk_start from = {ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(), ARCH_CALLER_FP(), 0};

	(void)s;
	if (leaving.turn % 3 == 1) {
		leaving.gone = leave_walk(from, leaving.instructions);
		leaving.instructions += left_stride();
		leaving.times++;
	} else {
		compare(&from);
	}
}

static walked choose_leaving(struct script *s)
{
	(void)s;
	switch (leaving.level++) {
	case 0:
		if (leaving.gone)
			return kind[leaving.turn % 3 ? 2 : 4];
		return NULL;
	case 1:
		return walk_or_leave;
	default:
		leaving.turn++;
		leaving.level = 0;
		return NULL;
	}
}

/* An outermost function of the library itself, say of a thread of its own. */
__asm__(".text\n"
	"outermost:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	nop\n"
	"outermost_return:\n"
	"	ret\n"
	"	.cfi_endproc\n");
extern const char outermost_return[];

static void test_no_frames(void **state)
{
	uintptr_t sp = ARCH_CALLER_SP();
	struct walk_start from = {(uintptr_t)outermost_return, sp, sp, 0};

	(void)state;
	compare(&from);
	assert_int_equal(seen.cached, 1);
	assert_int_equal(t->found.path.node, 0);
}

static void test_left_anywhere(void **state)
{
	void *library = load("a");

	(void)state;
	memset(&leaving, 0, sizeof leaving);
	leaving.instructions = 1;
	leaving.gone = true;
	script.choose = choose_leaving;
	kind[0](&script);
	script.choose = choose;
	unload(library);
	assert_true(leaving.instructions > 100);
	assert_int_equal(seen.left + 1, leaving.times);
}
#endif

static void test_replaced(void **state)
{
	const void *at = NULL;
	uint32_t sets, filled = UINT32_MAX;

	(void)state;
	for (uint32_t i = 0; i < 20; i++) {
		void *library = load(i % 2 ? "b" : "a");
		if (i > 1) /* all memory is there */
			assert_ptr_equal(kind, at);
		at = kind;
		run(8, 7);
		assert_true(t->walk.filled < filled); /* rows of code that is gone need no room */
		sets = t->walk.sets;
		run(500, 7);
		filled = t->walk.sets == sets ? t->walk.filled : UINT32_MAX;
		unload(library);
	}
	assert_true(seen.cached > 20 * 100);
}

/* In a thread, whose outermost frames are libc's: this program passes for the library, whose frames
 * are in no path. */
static void *run_all(void *failed)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random, begin, end),
#ifdef __x86_64__
		cmocka_unit_test_setup_teardown(test_no_frames, begin, end),
		cmocka_unit_test_setup_teardown(test_left_anywhere, begin, end),
#endif
		cmocka_unit_test_setup_teardown(test_replaced, begin, end),
	};
	*(int *)failed = cmocka_run_group_tests(tests, NULL, NULL);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int failed = 1;

	if (pthread_create(&thread, NULL, run_all, &failed) == 0)
		pthread_join(thread, NULL);
	return failed;
}
