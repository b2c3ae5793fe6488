// SPDX-License-Identifier: GPL-3.0-or-later
/* The list. Not in it: locks, which protect work, and reading or writing, of which waiting is only
 * a part. */
#include "report/model/sites.h"

#include <string.h>

/* The group `wait` is in wrappers.def; these are what other groups have, and -s. */
static const char *const names[] = {
	"accept",
	"accept4", /* a connection */
	"clock_nanosleep",
	"nanosleep",
	"sleep",
	"thrd_sleep",
	"usleep",
	"pause",
	"sigsuspend",
	"sigtimedwait",
	"sigwait",
	"sigwaitinfo",
	"wait",
	"wait3",
	"wait4",
	"waitid",
	"waitpid",
	"cnd_timedwait",
	"cnd_wait",
	"pthread_cond_clockwait",
	"pthread_cond_timedwait",
	"pthread_cond_wait",
	"pthread_barrier_wait",
	"sem_clockwait",
	"sem_timedwait",
	"sem_wait",
	"pthread_clockjoin_np",
	"pthread_join",
	"pthread_timedjoin_np",
	"thrd_join",
};

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Older C libraries have threads and semaphores in a file of their own. */
static bool is_libc(const char *library)
{
	return !strncmp(library, "libc.", 5) || !strncmp(library, "libpthread.", 11);
}

bool waiting_function(const struct prof_function *f)
{
	if (f->group & SCP_GROUP_WAIT)
		return true;
	if (f->group & SCP_GROUP_ALL)
		return is_listed(f->name);
	return f->group & SCP_GROUP_SELECTED && is_libc(f->library) && is_listed(f->name);
}
