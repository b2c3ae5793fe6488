// SPDX-License-Identifier: GPL-3.0-or-later
/* An ignored signal that is blocked becomes pending, so ignored ones are not blocked. */
#include "collector/launch/signal_wait.h"

#include <stddef.h>
#include <time.h>

void signal_wait_begin(struct signal_wait *e)
{
	static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction action;

	sigemptyset(&e->set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (!sigaction(ending[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&e->set, ending[i]);
	sigprocmask(SIG_BLOCK, &e->set, &e->before);
}

int signal_wait_next(const struct signal_wait *e, int milliseconds)
{
	const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
	int got = sigtimedwait(&e->set, NULL, &time);

	return got > 0 ? got : 0;
}

void signal_wait_end(const struct signal_wait *e)
{
	sigprocmask(SIG_SETMASK, &e->before, NULL);
}

void signal_wait_raise(int signal_number)
{
	sigset_t one;

	signal(signal_number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, signal_number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(signal_number);
}
