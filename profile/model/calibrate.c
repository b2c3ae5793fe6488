// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/model/calibrate.h"

#include <math.h>
#include <stdlib.h>

/* Of a thread's time the kernel's account must cover so much. */
#define COVERED_LEAST 0.5
/* A factor beyond it comes of too few readings: no weight becomes so large. */
#define MOST_FACTOR 100

/* Of a table. `unread`: ns of switched segments of rows without a reading, which are as others are,
 * and of gaps; `unread_rows`: of rows alone. */
struct sample {
	struct part all;
	double unread, unread_rows;
	double switched, readings; /* calls */
	bool summed;		   /* by rows */
};

/* What is missing to the kernel's account is divided as the variances are. */
struct correction {
	double off, off_variance, runnable, split_variance;
};

static double share_stolen(const struct profile *p, uint32_t first)
{
	double ran, share = steal_share(p, first, &ran);

	return share > 0 ? fmin(share, COVERED_LEAST) : 0;
}

/* The share of calls that was not read, of those that were switched. */
static double unread_of(const struct sample *s)
{
	return s->switched > 0 ? 1 - fmin(s->readings / s->switched, 1) : 1;
}

static void add_part(struct part *to, const struct part *from)
{
	PROF_ADD(to, from, known, off, runnable, off_variance, split_variance);
}

/* Rows are estimated one by one; where calls lie in others their sum counts some time twice. */
static void add_rows(const struct profile *p, uint32_t first_table, uint32_t first_entry,
		     double stolen, struct sample *of)
{
	for (uint32_t i = first_entry; i < p->entries; i++) {
		const struct prof_states *s = p->entry[i].sums.states;
		struct sample *to = &of[p->entry[i].table - first_table];

		if (!s || p->table[p->entry[i].table].nested_units)
			continue;
		struct part part = calibrate_part_row(s, stolen);
		add_part(&to->all, &part);
		to->switched += (double)s->calls;
		to->readings += (double)s->readings;
		to->unread_rows += s->off_cpu.weighted ? 0 : (double)s->off_cpu.known;
		to->summed = true;
	}
}

/* All of a table's calls as one part, where rows lie in one another. */
static struct part find_calls(const struct prof_table_states *t, double stolen)
{
	struct part calls = calibrate_part_sums(&t->call_off_cpu, stolen);

	calls.off_variance = calls.split_variance = calls.off * calls.off;
	return calls;
}

static void add_table(const struct prof_table *t, double stolen, struct sample *s)
{
	struct part part;

	if (!s->summed) {
		part = find_calls(&t->states, stolen);
		add_part(&s->all, &part);
	}
	part = calibrate_part_gaps(&t->states, unread_of(s), stolen);
	add_part(&s->all, &part);
	s->unread = s->unread_rows +
		    (t->states.gap_off_cpu.weighted ? 0 : (double)t->states.gap_off_cpu.known);
}

/* A part's share of what is missing, by variance. */
static double share_of(double missing, double variance, double all)
{
	return all > 0 ? missing * variance / all : 0;
}

/* What is off the CPU stays so long where only its parts change. */
static struct part correct(const struct part *part, const struct correction *c)
{
	struct part to = *part;

	to.off += share_of(c->off, part->off_variance, c->off_variance);
	to.off = fmin(fmax(to.off, 0), fmax(part->known, part->off));
	if (part->off > 0)
		to.runnable = part->runnable * to.off / part->off;
	to.runnable += share_of(c->runnable, part->split_variance, c->split_variance);
	to.runnable = fmin(fmax(to.runnable, 0), to.off);
	return to;
}

/* All 0: not known. */
static struct correction find_correction(const struct prof_table *t, const struct sample *s,
					 double stolen, double ns_per_unit)
{
	const struct prof_table_states *k = &t->states;
	double time = (double)t->time_units * ns_per_unit, covered = (double)k->covered_ns;
	double delayed = (double)k->delay_covered_ns, off, read;
	struct correction c = {.off_variance = s->all.off_variance};

	if (!states_sees_all(k->detector) || k->torn || !(time > 0) || !(s->all.off > 0) ||
	    covered < COVERED_LEAST * time)
		return (struct correction){0};
	read = (double)k->call_off_cpu.known + (double)k->gap_off_cpu.known;
	read = read > 0 ? 1 - fmin(s->unread / read, 1) : 1;
	off = fmax(0, time * (1 - (double)k->cpu_ns / (1 - stolen) / covered));
	c.off = off * read - s->all.off;
	if (delayed < COVERED_LEAST * time)
		return c;
	c.runnable = fmin((double)k->delay_ns / delayed * time, off) * read;
	c.split_variance = s->all.split_variance;
	return c;
}

struct factors {
	double runnable, asleep;
};

static double factor_to(double to, double from)
{
	return from > 0 ? fmin(fmax(to, 0) / from, MOST_FACTOR) : 1;
}

static struct factors factors_of(const struct part *from, const struct part *to)
{
	return (struct factors){factor_to(to->runnable, from->runnable),
				factor_to(to->off - to->runnable, from->off - from->runnable)};
}

/* Rounded up, and parts of it down: together these are no more. */
static uint64_t scaled(uint64_t ns, double factor)
{
	return factor == 1 ? ns : (uint64_t)fmin(ceil((double)ns * factor), 0x1p63);
}

static uint64_t scaled_part(uint64_t ns, double factor)
{
	return factor == 1 ? ns : (uint64_t)fmin(floor((double)ns * factor), 0x1p63);
}

static prof_u128 scaled_square(prof_u128 square, double factor)
{
	return factor == 1 ? square : (prof_u128)fmin((double)square * factor, 0x1p126);
}

static void scale(struct scp_off_cpu *o, const struct factors *by)
{
	o->runnable_ns = scaled(o->runnable_ns, by->runnable);
	o->asleep_ns = scaled(o->asleep_ns, by->asleep);
	o->ran_ns = scaled(o->ran_ns, by->asleep);
}

static void scale_row(struct prof_states *s, const struct factors *by)
{
	double r = by->runnable, a = by->asleep;

	scale(&s->off_cpu, by);
	s->runnable_sq = scaled_square(s->runnable_sq, r * r);
	s->asleep_sq = scaled_square(s->asleep_sq, a * a);
	s->runnable_asleep = scaled_square(s->runnable_asleep, r * a);
	s->units_runnable = scaled_square(s->units_runnable, r);
	s->units_asleep = scaled_square(s->units_asleep, a);
	for (uint32_t i = 0; s->batches && i < SCP_BATCHES; i++) {
		s->batches->runnable_ns[i] = scaled_part(s->batches->runnable_ns[i], r);
		s->batches->asleep_ns[i] = scaled_part(s->batches->asleep_ns[i], a);
	}
}

/* Of all rows, as those have together of which something was read. */
static struct part with_unread(struct part rows, double unread, uint64_t known)
{
	double factor = unread < (double)known ? (double)known / ((double)known - unread) : 1;

	rows.off *= factor;
	rows.runnable *= factor;
	return rows;
}

/* Of the table's own sums: gaps as a part, calls as their rows have together (`rows`), which are
 * estimated one by one. */
static void scale_table(struct prof_table_states *t, const struct sample *s, double stolen,
			const struct correction *c, const struct part *rows)
{
	struct part gaps = calibrate_part_gaps(t, unread_of(s), stolen),
		    calls = calibrate_part_sums(&t->call_off_cpu, stolen), to;

	to = correct(&gaps, c);
	struct factors by = factors_of(&gaps, &to);
	scale(&t->gap_off_cpu, &by);
	to = with_unread(*rows, s->unread_rows, t->call_off_cpu.known);
	by = factors_of(&calls, &to);
	scale(&t->call_off_cpu, &by);
}

/* How much of *part is runnable once the time off the CPU is right. */
static double runnable_of(struct part part, const struct correction *c)
{
	part.split_variance = 0;
	return correct(&part, c).runnable;
}

/* What is missing of the run delay once the time off the CPU is right; until then c->runnable is
 * all of it. */
static void find_splits(const struct profile *p, uint32_t first_table, uint32_t first_entry,
			double stolen, const struct sample *of, struct correction *c)
{
	double missing;

	for (uint32_t i = 0; i < p->tables - first_table; i++) {
		const struct prof_table_states *t = &p->table[first_table + i].states;
		struct part calls = find_calls(t, stolen);

		missing = c[i].runnable -
			  runnable_of(calibrate_part_gaps(t, unread_of(&of[i]), stolen), &c[i]);
		c[i].runnable = missing - (of[i].summed ? 0 : runnable_of(calls, &c[i]));
	}
	for (uint32_t i = first_entry; i < p->entries; i++) {
		const struct prof_states *s = p->entry[i].sums.states;
		uint32_t table = p->entry[i].table - first_table;

		if (s && of[table].summed)
			c[table].runnable -= runnable_of(calibrate_part_row(s, stolen), &c[table]);
	}
}

/* Returns what the row has from now on. */
static struct part calibrate_row(struct prof_states *s, const struct prof_table_states *t,
				 bool apart, double stolen, const struct correction *c)
{
	struct part from = apart ? calibrate_part_row(s, stolen) : find_calls(t, stolen);
	struct part to = correct(&from, c);

	if (apart)
		from = calibrate_part_sums(&s->off_cpu,
					   stolen); /* of which reports make their ratio */
	struct factors by = factors_of(&from, &to);
	scale_row(s, &by);
	return to;
}

static void to_ns(struct scp_off_cpu *o, double ns_per_unit)
{
	o->known = scaled(o->known, ns_per_unit);
	o->weighted = scaled(o->weighted, ns_per_unit);
}

void calibrate_to_ns(struct profile *p, uint32_t first_table, uint32_t first_entry,
		     double ns_per_unit)
{
	for (uint32_t i = first_table; i < p->tables; i++) {
		struct prof_table_states *s = &p->table[i].states;

		if (!states_sees_all(s->detector))
			continue;
		to_ns(&s->gap_off_cpu, ns_per_unit);
		to_ns(&s->call_off_cpu, ns_per_unit);
	}
	for (uint32_t i = first_entry; i < p->entries; i++) {
		struct prof_states *s = p->entry[i].sums.states;

		if (!s || !states_sees_all(p->entry[i].sums.detector))
			continue;
		to_ns(&s->off_cpu, ns_per_unit);
		for (uint32_t b = 0; s->batches && b < SCP_BATCHES; b++) {
			s->batches->known[b] = scaled_part(s->batches->known[b], ns_per_unit);
			s->batches->weighted[b] = scaled_part(s->batches->weighted[b], ns_per_unit);
		}
	}
}

static void calibrate(struct profile *p, uint32_t first_table, uint32_t first_entry,
		      double ns_per_unit, struct sample *of, struct correction *c,
		      struct part *rows)
{
	double stolen = share_stolen(p, first_table);
	uint32_t tables = p->tables - first_table;

	add_rows(p, first_table, first_entry, stolen, of);
	for (uint32_t i = 0; i < tables; i++) {
		add_table(&p->table[first_table + i], stolen, &of[i]);
		c[i] = find_correction(&p->table[first_table + i], &of[i], stolen, ns_per_unit);
	}
	find_splits(p, first_table, first_entry, stolen, of, c);
	for (uint32_t i = first_entry; i < p->entries; i++) {
		uint32_t table = p->entry[i].table - first_table;

		if (!p->entry[i].sums.states)
			continue;
		struct part to = calibrate_row(p->entry[i].sums.states,
					       &p->table[first_table + table].states,
					       of[table].summed, stolen, &c[table]);
		add_part(&rows[table], &to);
	}
	for (uint32_t i = 0; i < tables; i++) {
		struct prof_table_states *t = &p->table[first_table + i].states;
		struct part calls = find_calls(t, stolen);

		calls = of[i].summed ? rows[i] : correct(&calls, &c[i]);
		scale_table(t, &of[i], stolen, &c[i], &calls);
	}
}

bool calibrate_file(struct profile *p, uint32_t first_table, uint32_t first_entry,
		    double ns_per_unit)
{
	uint32_t tables = p->tables - first_table;
	struct sample *of = calloc(tables ? tables : 1, sizeof(*of));
	struct correction *c = calloc(tables ? tables : 1, sizeof(*c));
	struct part *rows = calloc(tables ? tables : 1, sizeof(*rows));
	bool room = of && c && rows;

	if (room)
		calibrate(p, first_table, first_entry, ns_per_unit, of, c, rows);
	free(of);
	free(c);
	free(rows);
	return room;
}
