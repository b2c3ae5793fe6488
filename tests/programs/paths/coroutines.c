// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: coroutines on stacks of their own make calls, also when a stack is
 * unmapped and a smaller one takes its place, so that a call comes from the
 * same address with the same stack pointer but less stack above it. */
#include "target.h"

#include <alloca.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK	   65536
#define COROUTINES 8
#define ROUNDS	   500

static ucontext_t scheduler, coroutine[COROUTINES];
static int pair[2], active;
static long done;

static char *map_stack(char *where, size_t size)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED_NOREPLACE : 0);
	char *memory = mmap(where, size, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (memory == MAP_FAILED)
		die("memory for a stack");
	return memory;
}

static void start_on(ucontext_t *context, char *stack, size_t size, void (*body)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = size;
	context->uc_link = &scheduler;
	makecontext(context, body, 0);
}

static void take_turns(void)
{
	int self = active;

	for (int i = 0; i < ROUNDS; i++) {
		exchange_below(pair, i % 10);
		done++;
		swapcontext(&coroutine[self], &scheduler);
	}
}

static void run_many(void)
{
	char *stack[COROUTINES];

	for (int i = 0; i < COROUTINES; i++) {
		stack[i] = map_stack(NULL, STACK);
		start_on(&coroutine[i], stack[i], STACK, take_turns);
	}
	for (int round = 0; round <= ROUNDS; round++)
		for (active = 0; active < COROUTINES; active++)
			swapcontext(&scheduler, &coroutine[active]);
	for (int i = 0; i < COROUTINES; i++)
		munmap(stack[i], STACK);
	say("turns %ld\n", done);
}

static char *leaf_frame, *wanted_frame;

/* The one place of the calls in question. */
NOINLINE static void leaf(int calls)
{
	leaf_frame = __builtin_frame_address(0);
	exchange_times(pair, calls);
	NO_TAIL_CALL();
}

NOINLINE static void pad_then_leaf(size_t bytes, int calls)
{
	volatile char *pad = alloca(bytes);

	pad[0] = 0;
	leaf(calls);
	NO_TAIL_CALL();
}

NOINLINE static void deep(int depth)
{
	if (depth > 0) {
		deep(depth - 1);
	} else {
		pad_then_leaf(16, 0);
		pad_then_leaf(16 + (size_t)(leaf_frame - wanted_frame), 10);
	}
	NO_TAIL_CALL();
}

static void body_deep(void)
{
	deep(20);
}

static void body_shallow(void)
{
	leaf(active);
}

/* A stack of 16 pages is used down to its middle, unmapped, and replaced by
 * its lower half alone: there, a shallow call has the same stack pointer. */
static void shrink(char **where)
{
	char *stack = map_stack(*where, STACK);
	size_t from_top;

	*where = stack;
	active = 0;
	start_on(&coroutine[0], stack, STACK / 2, body_shallow);
	swapcontext(&scheduler, &coroutine[0]);
	from_top = (size_t)(stack + STACK / 2 - leaf_frame);
	wanted_frame = stack + STACK / 2 - from_top;
	start_on(&coroutine[0], stack, STACK, body_deep);
	swapcontext(&scheduler, &coroutine[0]);
	if (leaf_frame != wanted_frame)
		say("frames differ by %ld\n", (long)(leaf_frame - wanted_frame));
	munmap(stack, STACK);
	map_stack(stack, STACK / 2);
	active = 10;
	start_on(&coroutine[0], stack, STACK / 2, body_shallow);
	swapcontext(&scheduler, &coroutine[0]);
	if (leaf_frame != wanted_frame)
		say("the small stack's frame differs\n");
	munmap(stack, STACK / 2);
}

int main(void)
{
	char *where = NULL;

	make_pair(pair);
	run_many();
	for (int i = 0; i < 200; i++)
		shrink(&where);
	exchange_times(pair, 10);
	say("stacks replaced\n");
	expect_exchanges(COROUTINES * ROUNDS + 200 * 20 + 10);
	return 0;
}
