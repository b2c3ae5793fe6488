// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: what lies right above a stack may be unmapped between two calls from it, where nothing
 * called the coroutine's outermost function, and where generated code has an address of there in
 * its frame pointer. (x86-64; elsewhere nothing is called.) */
#include "target.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#define STACK (256ul << 10)
#define TURNS 10

static int pair[2];
static char *stack;

NOINLINE static void send_one(void)
{
	exchange(pair);
	NO_TAIL_CALL();
}

static void map_stack(void)
{
	stack = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		die("memory for a stack");
	memset(stack + STACK, 0, STACK);
}

#ifdef __x86_64__
static void *scheduler, *coroutine; /* their stack pointers */

__attribute__((naked, noinline)) static void change(void **from __attribute__((unused)),
						    void **to __attribute__((unused)))
{
	__asm__("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n\t"
		"mov %rsp, (%rdi); mov (%rsi), %rsp\n\t"
		"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret");
}

static void take_turns(void)
{
	for (;;) {
		send_one();
		change(&coroutine, &scheduler);
	}
}

/* As libcoro does: it would return to abort. */
static void run_coroutine(void)
{
	map_stack();
	void **sp = (void **)(stack + STACK);
	*--sp = (void *)abort;
	*--sp = (void *)take_turns;
	coroutine = sp - 6;
	for (int i = 0; i < 2 * TURNS; i++) {
		if (i == TURNS)
			munmap(stack + STACK, STACK);
		change(&scheduler, &coroutine);
	}
}

/* push %rbp; mov %rsi, %rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xf5, 0xff, 0xd7, 0x5d, 0xc3};

static void *generate(void *unused)
{
	/* Far from all stacks. */
	void *made = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (made == MAP_FAILED)
		die("memory for code");
	memcpy(made, code, sizeof code);
	for (int i = 0; i < 2 * TURNS; i++) {
		if (i == TURNS)
			munmap(stack + STACK, STACK);
		((void (*)(void (*)(void), void *))(uintptr_t)made)(send_one, stack + STACK);
	}
	return unused;
}

static void run_generated(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	map_stack();
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK);
	if (pthread_create(&thread, &attributes, generate, NULL))
		die("thread");
	pthread_join(thread, NULL);
}
#endif

int main(void)
{
	make_pair(pair);
#ifdef __x86_64__
	run_coroutine();
	run_generated();
	expect_exchanges(4 * TURNS);
#endif
	say("done\n");
	return 0;
}
