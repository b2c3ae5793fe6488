// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a handler on the smallest alternate stack may call send.
 *
 * The kernel's frame is measured on a large stack first; the small one then
 * has room for it and 1 KiB for the handler (or as much as the second
 * argument says), and unmapped memory lies below.
 * "cold": the handler's call is the first of the process; "warm": not; "thread": the first of a
 * thread; "places": not, but each handler calls send from a thousand places; "object": not, but the
 * plugin that the third argument names makes it; "disarmed": as "warm", on a stack that the kernel
 * puts out of use meanwhile. Of "cold" and "warm" the third argument is the number of signals. */
#include "target.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#define SPARE 1024
#define PAGE  4096
#define LARGE (16 * PAGE)
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static int pair[2];
static volatile int handled;
static volatile char *entered_at;

static void on_probe(int sig)
{
	(void)sig;
	entered_at = __builtin_frame_address(0);
}

static void on_signal(int sig)
{
	char c = 'h';

	(void)sig;
	if (send(pair[0], &c, 1, 0) == 1)
		handled++;
}

#define TEN(x) x x x x x x x x x x

static void on_signal_places(int sig)
{
	char c = 'p';

	(void)sig;
	TEN(TEN(TEN(send(pair[1], &c, 1, MSG_DONTWAIT);)))
	handled++;
}

static void (*plugin)(const int fd[2]);

static void on_signal_object(int sig)
{
	(void)sig;
	plugin(pair);
	handled++;
}

static void (*handler)(int) = on_signal;
static int flags; /* of the stack */

static void use_stack(char *low, size_t size, void (*function)(int))
{
	struct sigaction action = {.sa_handler = function, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_sp = low, .ss_size = size, .ss_flags = flags};

	if (sigaltstack(&stack, NULL) < 0 || sigaction(SIGUSR1, &action, NULL) < 0)
		die("sigaltstack");
}

static void use_small_stack(size_t spare)
{
	char *memory = mmap(NULL, LARGE + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *low = memory + PAGE;
	size_t least;

	if (memory == MAP_FAILED || mprotect(low, LARGE, PROT_READ | PROT_WRITE) < 0)
		die("memory for the stack");
	use_stack(low, LARGE, on_probe);
	raise(SIGUSR1);
	least = (size_t)(low + LARGE - entered_at) + spare;
	use_stack(low, least < 2048 ? 2048 : least, handler);
}

static void *handle_in_thread(void *spare)
{
	use_small_stack((size_t)spare);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	say("handled %d\n", handled);
	return NULL;
}

static int in_thread(size_t spare)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, handle_in_thread, (void *)spare) ||
	    pthread_join(thread, NULL))
		die("thread");
	return 0;
}

/* Does a call come before the handler's? */
static int choose(char **argv)
{
	if (!strcmp(argv[1], "places"))
		handler = on_signal_places;
	if (!strcmp(argv[1], "object")) {
		void *object = argv[2] && argv[3] ? dlopen(argv[3], RTLD_NOW) : NULL;

		plugin = object ? (void (*)(const int *))dlsym(object, "plugin_a") : NULL;
		if (!plugin)
			die("plugin");
		handler = on_signal_object;
	}
	if (!strcmp(argv[1], "disarmed"))
		flags = (int)SS_AUTODISARM;
	return !strcmp(argv[1], "warm") || flags || handler != on_signal;
}

int main(int argc, char **argv)
{
	int warm = argc > 1 && choose(argv);
	int signals = argc > 3 && handler == on_signal ? atoi(argv[3]) : 100;

	make_pair(pair);
	if (argc > 2 && !strcmp(argv[1], "thread"))
		return in_thread((size_t)atol(argv[2]));
	use_small_stack(argc > 2 ? (size_t)atol(argv[2]) : SPARE);
	if (warm)
		exchange_times(pair, 10);
	for (int i = 0; i < signals; i++)
		raise(SIGUSR1);
	say("handled %d\n", handled);
	if (handler == on_signal)
		expect_calls("send", signals + (warm ? 10 : 0));
	return 0;
}
