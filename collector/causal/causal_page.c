// SPDX-License-Identifier: GPL-3.0-or-later
/* Whatever lies in the page was perhaps written by somebody else: indexes are ours. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "collector/causal/causal_page_private.h"
#include "profile/base/counter.h"
#include "profile/base/proc_maps.h"
#include "collector/shared_page.h"

#define RATE_US 5000 /* over which the counter's rate is measured first */

void causal_page_measure_rate(struct causal_page *p)
{
	struct scp_anchor now = counter_pair(counter_read_ordered);
	double error;

	if (now.mono_ns > p->began.mono_ns && now.clock_at > p->began.clock_at)
		p->units_s = 1e9 * clocks_measure_rate(&p->began, &now, &error);
}

double causal_page_units(const struct causal_page *p, double seconds)
{
	return seconds * p->units_s;
}

double causal_page_seconds(const struct causal_page *p, double units)
{
	return units / p->units_s;
}

/* 0 for what is no duration. */
static uint64_t units_of(const struct causal_page *p, double seconds, double most)
{
	double units = causal_page_units(p, seconds);

	return !(units > 0) ? 0 : (uint64_t)fmin(units, most);
}

struct causal_page *causal_page_create(const char *path, const struct causal_page_wishes *w,
				       struct profile_error *err)
{
	struct causal_page *p = calloc(1, sizeof(*p));

	/* who may enter the run's directory may write into it, as with the profiles */
	if (!p || !(p->path = strdup(path)) ||
	    !(p->page = shared_page_create(path, sizeof(*p->page), SHARED_PAGE_WRITE))) {
		error_set(err, "cannot make the page of delays, %.300s: %s", path, strerror(errno));
		if (p)
			free(p->path);
		free(p);
		return NULL;
	}
	for (unsigned slot = 0; slot < SCP_CAUSAL_SLOTS; slot++)
		p->site[slot] = NO_SITE;
	clocks_measure_rate_for(counter_read_ordered, RATE_US, &p->began);
	causal_page_measure_rate(p);
	p->longest = units_of(p, w->longest_s, UINT32_MAX);
	p->page->bytes = sizeof(*p->page);
	p->page->by = w->by;
	p->page->place = w->place;
	p->page->longest = p->longest;
	snprintf(p->page->progress, sizeof(p->page->progress), "%s",
		 w->progress ? w->progress : "");
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(p->page->magic, SCP_CAUSAL_MAGIC, sizeof(p->page->magic));
	if (p->units_s > 0)
		return p;
	error_set(err, "the processor's counter does not advance");
	causal_page_close(p);
	return NULL;
}

void causal_page_stop(struct causal_page *p)
{
	__atomic_store_n(&p->stopped, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&p->page->expires, 0, __ATOMIC_SEQ_CST);
}

void causal_page_close(struct causal_page *p)
{
	if (!p)
		return;
	causal_page_stop(p);
	for (unsigned slot = 1; slot < SCP_CAUSAL_SLOTS; slot++)
		causal_page_choose(p, p->site[slot], 0);
	shared_page_remove(p->page, p->path);
	free(p->path);
	free(p);
}

size_t causal_page_sites(const struct causal_page *p, struct causal_page_site *out, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < SCP_CAUSAL_SITES && count < room; i++) {
		const struct scp_causal_site *s = &p->page->site[i];

		if (!__atomic_load_n(&s->key, __ATOMIC_RELAXED) ||
		    !__atomic_load_n(&s->known, __ATOMIC_ACQUIRE))
			continue;
		out[count++] = (struct causal_page_site){
			.index = i,
			.pid = __atomic_load_n(&s->pid, __ATOMIC_RELAXED),
			.path = __atomic_load_n(&s->path, __ATOMIC_RELAXED),
			.function = __atomic_load_n(&s->function, __ATOMIC_RELAXED),
			.table = __atomic_load_n(&s->table, __ATOMIC_RELAXED),
			.in_handler = __atomic_load_n(&s->flags, __ATOMIC_RELAXED) &
				      SCP_CAUSAL_IN_HANDLER,
		};
	}
	return count;
}

void causal_page_choose(struct causal_page *p, size_t index, unsigned slot)
{
	if (index >= SCP_CAUSAL_SITES || slot >= SCP_CAUSAL_SLOTS)
		return;
	for (unsigned i = 1; i < SCP_CAUSAL_SLOTS; i++)
		if (p->site[i] != NO_SITE && (p->site[i] == index || (slot && i == slot))) {
			struct scp_causal_site *left = &p->page->site[p->site[i]];

			__atomic_store_n(&left->delay, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&left->slot, 0, __ATOMIC_RELEASE);
			p->site[i] = NO_SITE;
		}
	if (!slot)
		return;
	p->site[slot] = index;
	__atomic_store_n(&p->page->site[index].slot, slot, __ATOMIC_RELEASE);
}

void causal_page_renew(struct causal_page *p, double expires_s)
{
	__atomic_store_n(&p->page->expires,
			 counter_read() + units_of(p, fmin(expires_s, 60), 0x1p62),
			 __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&p->stopped, __ATOMIC_SEQ_CST))
		__atomic_store_n(&p->page->expires, 0, __ATOMIC_SEQ_CST);
}

void causal_page_window(struct causal_page *p, const double *delays, double limit_s,
			double expires_s)
{
	struct scp_causal_page *page = p->page;

	for (unsigned slot = 1; slot < SCP_CAUSAL_SLOTS; slot++)
		if (p->site[slot] != NO_SITE)
			__atomic_store_n(&page->site[p->site[slot]].delay,
					 (uint32_t)units_of(p, delays[slot], (double)p->longest),
					 __ATOMIC_RELAXED);
	__atomic_store_n(&page->limit, units_of(p, limit_s, 0x1p62), __ATOMIC_RELAXED);
	__atomic_add_fetch(&page->window, 1, __ATOMIC_RELEASE);
	causal_page_renew(p, expires_s);
}

bool causal_page_is_mapped(const struct causal_page *p, uint32_t pid)
{
	struct proc_mapping m;
	struct stat s;
	bool found = false;
	FILE *maps = stat(p->path, &s) ? NULL : proc_maps_open((pid_t)pid);

	while (maps && !found && proc_maps_next(maps, &m))
		found = m.inode == s.st_ino && m.major == major(s.st_dev) &&
			m.minor == minor(s.st_dev);
	if (maps)
		fclose(maps);
	return found;
}
