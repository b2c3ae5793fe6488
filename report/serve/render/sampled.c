// SPDX-License-Identifier: GPL-3.0-or-later
/* What runs under way compute: `scprof run` and `attach` leave a file of samples beside the
 * profiles of the processes. It counts for the service whose process is the first one there. Names
 * are found without the lock, by a process that has the rights of the file's owner and may take
 * SECONDS, at most one part of SHARE of a CPU, which is the user's. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "report/model/model.h"
#include "report/serve/render/renderer.h"

#define SECONDS	 3
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

/* Its processes are not asked for: all counts for one service. */
enum rendering_result sampled_write(struct snapshot *s)
{
	struct counters_computing found = {.rows = 0};
	struct profile *p = profile_new();

	if (!p || samples_process(p, 0, 0))
		return RENDERING_NO_MEMORY;
	snapshot_load(s, p, NULL, NULL);
	struct report *r = s->left_out ? NULL : computing_report(p, NULL, 0.95);

	if (!r || !r->computing)
		return s->left_out ? RENDERING_UNREADABLE : RENDERING_NO_MEMORY;
	for (const struct report_computing_row *row = r->computing->row;
	     row < r->computing->row + r->computing->rows; row++) {
		counters_computing_add(&found, row->brief ? row->brief : "",
				       row->module_name ? row->module_name : "", row->cpu_s);
	}
	return write(STDOUT_FILENO, &found, sizeof(found)) == (ssize_t)sizeof(found)
		       ? RENDERING_DONE
		       : RENDERING_NO_MEMORY;
}

/* No more is believed of what the process wrote than of the file that it has read. */
static bool take(struct counters_computing *to, int output)
{
	struct counters_computing from;

	if (pread(output, &from, sizeof(from), 0) != (ssize_t)sizeof(from) ||
	    from.rows > COUNTERS_COMPUTING + 1)
		return false;
	to->rows = 0;
	for (uint32_t i = 0; i < from.rows; i++) {
		char *function = from.row[i].function, *library = from.row[i].library;

		function[LABEL_BYTES - 1] = library[LABEL_BYTES - 1] = '\0';
		counters_computing_add(to, function, library,
				       isfinite(from.row[i].cpu_s) ? from.row[i].cpu_s : 0);
	}
	return true;
}

static bool make(struct agent *a, const struct source *from, struct counters_computing *to,
		 uint64_t *cpu_ns)
{
	struct snapshot_file file = {.fd = from->fd};
	const struct snapshot s = {.file = &file, .files = 1, .most_bytes = a->limits.most_bytes};
	struct renderer_job job = {.product = RENDERER_COMPUTING,
				   .user = a->limits.any_owner && from->identity.uid
						   ? from->identity.uid
						   : RENDERER_AGENT};
	struct renderer_message said;
	struct rendering one;

	rendering_begin(&one, &a->stopping, SECONDS);
	bool made = rendering_start(&one, &job) == RENDERING_GOING &&
		    rendering_ask(&one, &s, -1, &said) == RENDERING_DONE && take(to, one.output);
	rendering_end(&one);
	*cpu_ns = one.cpu_ns;
	return made;
}

void sampled_meet(struct agent *a, int directory, const char *path, const char *name)
{
	uint64_t began_ns = clocks_read_ns(CLOCK_MONOTONIC), now_ns, cpu_ns = 0;
	struct counters_computing found;
	struct source one = {.fd = -1};
	enum source_fault fault;

	pthread_mutex_lock(&a->lock);
	struct counters_service *s = service_in(a, path);
	bool due = s && began_ns >= s->computing.next_ns &&
		   !source_open(&one, directory, name, &a->limits, &fault) &&
		   shares_has_time(a->shares, one.identity.uid, began_ns);
	pthread_mutex_unlock(&a->lock);
	bool made = due && make(a, &one, &found, &cpu_ns);

	pthread_mutex_lock(&a->lock);
	now_ns = clocks_read_ns(CLOCK_MONOTONIC);
	if (due) {
		shares_spend(&a->shares, one.identity.uid, now_ns, now_ns - began_ns);
		s->computing.next_ns = now_ns + LEAST_NS + SHARE * cpu_ns;
	}
	if (made) {
		found.next_ns = s->computing.next_ns;
		found.until_ns = found.next_ns + HOLDS_NS;
		s->computing = found;
	}
	pthread_mutex_unlock(&a->lock);
	source_close(&one);
}
