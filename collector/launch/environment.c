// SPDX-License-Identifier: GPL-3.0-or-later
/* One place that knows the variables' names. */
#include "collector/launch/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/clocks/clocks.h"
#include "collector/duration.h"

bool environment_can_preload(const char *path)
{
	return !strpbrk(path, " :$\t\n");
}

/* Is `name` one of the words of an LD_PRELOAD? */
static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; *at; at += strspn(at, " :")) {
		size_t word = strcspn(at, " :");

		if (word == length && !strncmp(at, name, length))
			return true;
		at += word;
	}
	return false;
}

static int set_preload(const struct environment *e)
{
	const char *user = getenv("LD_PRELOAD");
	const char *stubs = e->stubs ? e->stubs : "";
	char *list = NULL;

	user = user ? user : "";
	bool before = *e->before && !is_listed(user, e->before);
	bool library = !is_listed(user, e->library);
	if (asprintf(&list, "%s%s%s%s%s%s%s", before ? e->before : "", before ? ":" : "", user,
		     *user && (library || *stubs) ? ":" : "", stubs, *stubs && library ? ":" : "",
		     library ? e->library : "") < 0)
		return -1;
	int failed = setenv("LD_PRELOAD", list, 1);
	free(list);
	return failed;
}

static int set_or_unset(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : unsetenv(name);
}

/* What the library is not to find must not come from our own environment either. */
static int set_filters(const struct environment_filters *f)
{
	return set_or_unset("SCPROF_BELOW", f->below) ||
	       set_or_unset("SCPROF_BELOW_RANGES", f->below_ranges) ||
	       set_or_unset("SCPROF_THREADS", f->threads) ||
	       set_or_unset("SCPROF_DEPTH", f->depth) || set_or_unset("SCPROF_AFTER", f->after) ||
	       set_or_unset("SCPROF_FOR", f->length) || set_or_unset("SCPROF_SIGNAL", f->signal) ||
	       set_or_unset("SCPROF_STOPPED", f->stopped) ||
	       set_or_unset("SCPROF_CONTROL", f->control);
}

static int set_if(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : 0;
}

int environment_set(const struct environment *e)
{
	char tick[32];

	duration_print_exact(e->tick_ns, tick, sizeof(tick));
	if (set_preload(e) || setenv("SCPROF_OUT", e->profiles, 1) ||
	    setenv("SCPROF_CLOCK", clocks_name(e->clock), 1) ||
	    set_or_unset("SCPROF_TICK", e->page ? tick : NULL) ||
	    set_or_unset("SCPROF_CLOCK_PAGE", e->page) || set_if("SCPROF_GROUPS", e->groups) ||
	    set_if("SCPROF_SLOWEST", e->slowest) || set_if("SCPROF_SLOWER_THAN", e->slower_than) ||
	    set_if("SCPROF_SLOWEST_OF", e->slowest_of) || set_filters(&e->filters))
		return -1;
	return 0;
}
