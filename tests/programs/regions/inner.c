// SPDX-License-Identifier: GPL-3.0-or-later
/* Known numbers of recorded calls inside recorded intervals. Of each round: "outer" holds three
 * recv and "inner", which holds two; between the points "first" and "second" lie four recv;
 * "hollow" has nothing in it, "left" is left by longjmp after a recv, raise by another after two;
 * then one recv alone. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "scprof.h"

static jmp_buf out;
static sigjmp_buf back;

static void receive(int times)
{
	char byte;

	for (int i = 0; i < times; i++)
		if (recv(-1, &byte, 1, 0) >= 0)
			abort();
}

static void nested(void)
{
	SCPROF_BEGIN("outer");
	receive(2);
	SCPROF_BEGIN("inner");
	receive(2);
	SCPROF_END;
	receive(1);
	SCPROF_END;
}

static void points(void)
{
	SCPROF_POINT("first");
	receive(4);
	SCPROF_POINT("second");
}

static void left(void)
{
	volatile char far[1024]; /* so that it is seen to be gone */

	far[0] = 0;
	SCPROF_SCOPE("left");
	receive(1);
	longjmp(out, far[0] + 1);
}

static void leave(void)
{
	if (!setjmp(out))
		left();
}

static void hollow(void)
{
	SCPROF_SCOPE("hollow");
}

/* Two recv inside a handler, which is inside kill. */
static void handler(int signal)
{
	(void)signal;
	receive(2);
}

static void jump(int signal)
{
	handler(signal);
	siglongjmp(back, 1);
}

static void jumped(void)
{
	if (!sigsetjmp(back, 1))
		raise(SIGUSR2);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;

	signal(SIGUSR1, handler);
	signal(SIGUSR2, jump);
	for (int i = 0; i < rounds; i++) {
		nested();
		hollow();
		leave();
		SCPROF_BEGIN("signalled");
		receive(1);
		raise(SIGUSR1);
		SCPROF_END;
		jumped();
		receive(1);
	}
	for (int i = 0; i < rounds; i++)
		points();
	SCPROF_POINT("first");
	SCPROF_POINT_STOP;
	hollow();
	return 0;
}
