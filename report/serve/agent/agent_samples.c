// SPDX-License-Identifier: GPL-3.0-or-later
/* What runs under way compute: `scprof run` and `attach` leave a file of samples beside the
 * profiles of the processes. It counts for the service whose process is the first one there. Names
 * are found without the lock, at most in one part of SHARE of the time, which is the user's. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "report/model/model.h"
#include "report/serve/agent/agent.h"

#define SHARE	 100
#define LEAST_NS (UINT64_C(5) * 1000000000)
#define HOLDS_NS (UINT64_C(20) * 1000000000) /* beyond that: the run has ended */

/* With the lock. NULL: none of these files is counted. */
static struct counters_service *service_in(const struct agent *a, const char *directory)
{
	const struct source *first = NULL;
	size_t length = strlen(directory);

	for (const struct source *o = a->sources; o; o = o->hh.next)
		if (o->service && !strncmp(o->path, directory, length) && o->path[length] == '/' &&
		    !strchr(o->path + length + 1, '/') &&
		    (!first || o->identity.start_mono_ns < first->identity.start_mono_ns))
			first = o;
	return first ? first->service : NULL;
}

static void take(struct counters_computing *to, const struct report_computing *from)
{
	to->rows = 0;
	for (const struct report_computing_row *r = from->row; r < from->row + from->rows; r++)
		counters_computing_add(to, r->brief ? r->brief : "",
				       r->module_name ? r->module_name : "", r->cpu_s);
}

/* NULL: it cannot be read. Its processes are not asked for: all counts for one service. */
static struct profile *load(const struct source *s, const struct source_limits *l)
{
	struct profile *p = profile_new();
	struct profile_error err;

	if (p && !samples_process(p, 0, 0) && !profile_add_open(p, s->fd, l->most_bytes, &err))
		return p;
	profile_free(p);
	return NULL;
}

void agent_samples_meet(struct agent *a, int directory, const char *path, const char *name)
{
	uint64_t began_ns = clocks_read_ns(CLOCK_MONOTONIC), now_ns;
	struct source one = {.fd = -1};
	enum source_fault fault;

	agent_lock(a);
	struct counters_service *s = service_in(a, path);
	bool due = s && began_ns >= s->computing.next_ns &&
		   !source_open(&one, directory, name, &a->limits, &fault) &&
		   shares_has_time(a->shares, one.identity.uid, began_ns);
	agent_unlock(a);
	struct profile *p = due ? load(&one, &a->limits) : NULL;
	struct report *r = p ? computing_report(p, NULL, a->options.confidence) : NULL;

	agent_lock(a);
	now_ns = clocks_read_ns(CLOCK_MONOTONIC);
	if (due) {
		shares_spend(&a->shares, one.identity.uid, now_ns, now_ns - began_ns);
		s->computing.next_ns = now_ns + LEAST_NS + SHARE * (now_ns - began_ns);
	}
	if (r && r->computing) {
		take(&s->computing, r->computing);
		s->computing.until_ns = s->computing.next_ns + HOLDS_NS;
	}
	agent_unlock(a);
	computing_report_free(r);
	profile_free(p);
	source_close(&one);
}
