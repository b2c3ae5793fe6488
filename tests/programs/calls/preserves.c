// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a wrapped call leaves as they were: errno on success, the signal mask,
 * descriptor numbers, floating-point flags, rounding and traps. */
#include "target.h"

#include <fenv.h>
#include <poll.h>
#include <signal.h>

static int pair[2];

/* Calls on old and new paths, and some that fail. */
static void make_calls(void)
{
	char c;

	for (int depth = 0; depth < 60; depth++)
		exchange_below(pair, depth);
	exchange_times(pair, 1000);
	errno = 0;
	if (recv(pair[1], &c, 1, MSG_DONTWAIT) != -1 || errno != EAGAIN)
		die("a recv that finds nothing");
	if (send(-1, &c, 1, 0) != -1 || errno != EBADF)
		die("a send on no descriptor");
}

static void check_errno(void)
{
	struct pollfd p = {.fd = pair[0], .events = POLLOUT};
	int kept = 0;

	for (int depth = 0; depth < 30; depth++) {
		errno = 4321;
		exchange_below(pair, depth);
		kept += errno == 4321;
	}
	errno = 4321;
	kept += poll(&p, 1, 0) == 1 && errno == 4321;
	say("errno kept %d times\n", kept);
}

static void check_mask(void)
{
	sigset_t before, after;

	sigemptyset(&before);
	sigaddset(&before, SIGUSR2);
	sigprocmask(SIG_SETMASK, &before, NULL);
	make_calls();
	sigprocmask(SIG_SETMASK, NULL, &after);
	say("signal mask kept: %d\n", memcmp(&before, &after, sizeof(long)) == 0);
}

static void check_floating_point(void)
{
	feclearexcept(FE_ALL_EXCEPT);
	make_calls();
	say("flags raised: %d\n", fetestexcept(FE_ALL_EXCEPT));
	feraiseexcept(FE_DIVBYZERO);
	fesetround(FE_UPWARD);
	make_calls();
	say("flags kept: %d, rounding kept: %d\n", fetestexcept(FE_ALL_EXCEPT) == FE_DIVBYZERO,
	    fegetround() == FE_UPWARD);
	feclearexcept(FE_ALL_EXCEPT);
	fesetround(FE_TONEAREST);
	feenableexcept(FE_ALL_EXCEPT);
	make_calls();
	exchange_below(pair, 100);
	fedisableexcept(FE_ALL_EXCEPT);
	say("no trap\n");
}

static void check_descriptors(void)
{
	int first = open("/dev/null", O_RDONLY), second;

	make_calls();
	second = open("/dev/null", O_RDONLY);
	say("descriptors %d %d %d %d\n", pair[0], pair[1], first, second);
}

int main(void)
{
	make_pair(pair);
	check_floating_point(); /* first: also over the library's own beginning */
	check_errno();
	check_mask();
	check_descriptors();
	return 0;
}
