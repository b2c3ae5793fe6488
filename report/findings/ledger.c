// SPDX-License-Identifier: GPL-3.0-or-later
/* The kernel's totals of a process beside what the rows add up to. Those of a process that was
 * killed are up to half a second older than its calls, and at least what these are. */
#include "report/findings/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

/* What /proc/PID/io counts as a read or a write (fs/read_write.c): it is neither what sockets have
 * of their own (recv, send) nor splice, tee, vmsplice. */
unsigned ledger_counted_as(const char *name, uint32_t group)
{
	static const struct {
		const char *prefix;
		unsigned as;
	} counted[] = {
		{"read", LEDGER_READS},
		{"pread", LEDGER_READS},
		{"write", LEDGER_WRITES},
		{"pwrite", LEDGER_WRITES},
		{"sendfile", LEDGER_READS | LEDGER_WRITES},
		{"copy_file_range", LEDGER_READS | LEDGER_WRITES},
	};

	if (!(group & (SCP_GROUP_SOCKET | SCP_GROUP_IO))) /* another library's */
		return 0;
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		if (!strncmp(name, counted[i].prefix, strlen(counted[i].prefix)))
			return counted[i].as;
	return 0;
}

/* A total of some processes is no total. */
static void fill_totals(struct report *r)
{
	const struct profile *p = r->profile;
	struct report_ledger *l = &r->ledger;

	*l = (struct report_ledger){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	if (p->usage.known & SCP_USAGE_CPU && p->usage_cpu_of == r->all_processes) {
		l->cpu_s = (double)p->usage.cpu_ns / 1e9;
		l->waits = (double)p->usage.voluntary;
	}
	if (p->usage.known & SCP_USAGE_IO && p->usage_io_of == r->all_processes)
		PROF_SET(l, &p->usage, reads, writes);
}

static double at_least(double total, double part)
{
	return total < part ? part : total; /* NAN stays */
}

/* Calls that failed are left out: most of them (EBADF, EFAULT) end before the kernel counts. */
static int fill_io(struct report *r)
{
	const struct profile *p = r->profile;
	unsigned *as = calloc((size_t)p->functions + 1, sizeof(*as));
	double reads = 0, writes = 0;

	for (uint32_t i = 0; as && i < p->functions; i++) {
		const struct prof_function *f = &p->function[i];

		as[i] = ledger_counted_as(f->name, f->group);
		reads += as[i] & LEDGER_READS ? (double)f->overflow_calls : 0;
		writes += as[i] & LEDGER_WRITES ? (double)f->overflow_calls : 0;
	}
	for (uint32_t i = 0; as && i < p->entries; i++) {
		const struct prof_entry *e = &p->entry[i];
		double calls = e->outcome == SCP_ERROR ? 0 : (double)e->sums.calls;

		reads += as[e->function] & LEDGER_READS ? calls : 0;
		writes += as[e->function] & LEDGER_WRITES ? calls : 0;
	}
	free(as);
	r->ledger.reads = at_least(r->ledger.reads, reads);
	r->ledger.writes = at_least(r->ledger.writes, writes);
	r->ledger.reads_share = numbers_share(reads, r->ledger.reads);
	r->ledger.writes_share = numbers_share(writes, r->ledger.writes);
	return as ? 0 : -1;
}

#define NEAR_ALL 0.8

/* Of all segments, by those that were read. */
static double waits_of(const struct scp_off_cpu *o)
{
	return o->weighted ? (double)o->waits * (double)o->known / (double)o->weighted : 0;
}

static bool may_be_old(const struct profile *p)
{
	for (uint32_t i = 0; i < p->processes; i++)
		if (p->process[i].end_state == SCP_END_RUNNING)
			return true;
	return false;
}

/* The share of the voluntary switches that is in recorded calls; NAN: not known. Those in calls and
 * in the gaps between them are estimates by the same sample, which together are all that recorded
 * threads did: where they are near the total, their ratio has less noise. */
static double waits_share(const struct profile *p, double *waits)
{
	double in_calls = 0, in_gaps = 0;

	if (!(*waits > 0) || (!p->tables && !states_sees_all(p->switches.detector)))
		return NAN;
	for (uint32_t i = 0; i < p->tables; i++) {
		const struct prof_table_states *s = &p->table[i].states;

		if (!states_sees_all(s->detector))
			return NAN;
		in_calls += waits_of(&s->call_off_cpu);
		in_gaps += waits_of(&s->gap_off_cpu);
	}
	if (NEAR_ALL * (in_calls + in_gaps) > *waits && may_be_old(p))
		*waits = in_calls + in_gaps;
	if (in_calls + in_gaps > NEAR_ALL * *waits)
		return in_calls / (in_calls + in_gaps);
	return in_calls / *waits;
}

static double cpu_in_calls_s(const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;

	if (r->profile->clock.kind == SCP_CLOCK_THREAD_CPU)
		return (r->calls_ns - r->nested_ns) / 1e9;
	if (!t->known)
		return NAN;
	/* what the host stole was charged to nobody */
	return t->cpu_in_calls_s * (1 - (t->stolen_share > 0 ? t->stolen_share : 0));
}

int ledger_fill(struct report *r)
{
	struct report_ledger *l = &r->ledger;

	fill_totals(r);
	if (r->threads_time.known && may_be_old(r->profile))
		l->cpu_s = at_least(l->cpu_s, r->threads_time.charged_s);
	l->cpu_share = numbers_share(cpu_in_calls_s(r), l->cpu_s);
	l->waits_share = waits_share(r->profile, &l->waits);
	return fill_io(r);
}

static void put_share(FILE *to, const char **before, double share, double total, const char *what)
{
	if (isnan(share))
		return;
	fprintf(to, "%s%s of %s %s", *before, numbered_share(share).text,
		numbered_count((uint64_t)total).text, what);
	*before = ", ";
}

char *ledger_describe(const struct report *r, bool utf8)
{
	const struct report_ledger *l = &r->ledger;
	const char *before = "";
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	if (memory.to && !isnan(l->cpu_share)) {
		fprintf(memory.to, "%s of %s of CPU time", numbered_share(l->cpu_share).text,
			numbered_duration(l->cpu_s * 1e9, utf8).text);
		before = ", ";
	}
	if (memory.to) {
		put_share(memory.to, &before, l->waits_share, l->waits, "waits");
		put_share(memory.to, &before, l->reads_share, l->reads, "reads");
		put_share(memory.to, &before, l->writes_share, l->writes, "writes");
	}
	return utf8_memory_end(&memory);
}
