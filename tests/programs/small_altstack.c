// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a handler on the smallest alternate stack may call send.
 *
 * The stack holds the kernel's frame and 1 KiB, and unmapped memory lies below
 * it. "cold": the handler's call is the first of the process; "warm": not. */
#include "target.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define SPARE 1024

static int pair[2];
static volatile int handled;

static void on_signal(int sig)
{
	char c = 'h';

	(void)sig;
	if (send(pair[0], &c, 1, 0) == 1)
		handled++;
}

static void use_small_stack(void)
{
	size_t page = 4096, least = getauxval(AT_MINSIGSTKSZ), size;
	stack_t stack = {0};
	char *memory;

	if (least < 2048)
		least = 2048;
	size = least + SPARE;
	memory = mmap(NULL, 16 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || mprotect(memory + page, 15 * page, PROT_READ | PROT_WRITE) < 0)
		die("memory for the stack");
	stack.ss_sp = memory + page;
	stack.ss_size = size;
	if (sigaltstack(&stack, NULL) < 0)
		die("sigaltstack");
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	int warm = argc > 1 && !strcmp(argv[1], "warm");

	make_pair(pair);
	use_small_stack();
	sigaction(SIGUSR1, &action, NULL);
	if (warm)
		exchange_times(pair, 10);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	say("handled %d\n", handled);
	expect_calls("send", 100 + (warm ? 10 : 0));
	return 0;
}
