// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/model/calibrate.h"

#include <math.h>
#include <stdlib.h>

/* Of a thread's time the kernel's account must cover so much. */
#define COVERED_LEAST 0.5
/* A factor beyond it comes of too few readings: no weight becomes so large. */
#define MOST_FACTOR 100

/* Of a table. `unread`: of rows without a reading, and of gaps, with the variance of what may be
 * any part of each; `unread_rows`: ns of rows alone. */
struct sample {
	struct part all, unread;
	double unread_rows;
	double switched, readings; /* calls */
	bool summed;		   /* by rows */
	bool gaps_imputed;
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

/* Any part of it may have been off the CPU, any as likely as any other. */
static void add_unread(struct sample *to, const struct scp_off_cpu *o)
{
	double known = o->weighted ? 0 : (double)o->known;

	to->unread.known += known;
	to->unread.off_variance += known * known / 12;
}

static struct part find_gaps(const struct prof_table_states *t, const struct sample *s,
			     double stolen)
{
	return calibrate_part_gaps(t, s->gaps_imputed ? 0 : unread_of(s), stolen);
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
		add_unread(to, &s->off_cpu);
		to->unread_rows = to->unread.known;
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
	part = find_gaps(&t->states, s, stolen);
	add_part(&s->all, &part);
	add_unread(s, &t->states.gap_off_cpu);
}

/* What is off the CPU stays so long where only its parts change. */
static struct part correct(const struct part *part, const struct correction *c)
{
	struct part to = *part;

	to.off += calibrate_part_share(c->off, part->off_variance, c->off_variance);
	to.off = fmin(fmax(to.off, 0), fmax(part->known, part->off));
	if (part->off > 0)
		to.runnable = part->runnable * to.off / part->off;
	to.runnable += calibrate_part_share(c->runnable, part->split_variance, c->split_variance);
	to.runnable = fmin(fmax(to.runnable, 0), to.off);
	return to;
}

/* What the kernel says of a table. `runnable` NAN: it was asked too rarely. False: of all of it. */
static bool find_account(const struct prof_table *t, double stolen, double ns_per_unit,
			 struct part *to)
{
	const struct prof_table_states *k = &t->states;
	double time = (double)t->time_units * ns_per_unit, covered = (double)k->covered_ns;
	double delayed = (double)k->delay_covered_ns;

	if (!states_sees_all(k->detector) || k->torn || !(time > 0) ||
	    covered < COVERED_LEAST * time)
		return false;
	to->off = fmax(0, time * (1 - (double)k->cpu_ns / (1 - stolen) / covered));
	to->runnable = delayed < COVERED_LEAST * time
			       ? NAN
			       : fmin((double)k->delay_ns / delayed * time, to->off);
	return true;
}

/* From now on these rows, and the gaps, have sums as if each of them had been read. */
static void impute(struct profile *p, uint32_t first_table, uint32_t first_entry, double stolen,
		   double ns_per_unit, struct sample *of)
{
	struct part account;

	for (uint32_t i = first_table; i < p->tables; i++) {
		struct prof_table *t = &p->table[i];
		struct sample *s = &of[i - first_table];
		double known =
			(double)t->states.call_off_cpu.known + (double)t->states.gap_off_cpu.known;

		if (!(s->unread.known > 0) || !find_account(t, stolen, ns_per_unit, &account))
			s->unread = (struct part){0};
		else
			s->unread = calibrate_part_unread(&account, &s->all, &s->unread, known);
		if (s->unread.known > 0 && !t->states.gap_off_cpu.weighted) {
			calibrate_part_impute(&t->states.gap_off_cpu, &s->unread);
			s->gaps_imputed = true;
		}
		if (s->unread.known > 0)
			s->unread_rows = 0;
		s->unread.off_variance = s->unread.split_variance = 0;
		add_part(&s->all, &s->unread);
	}
	for (uint32_t i = first_entry; i < p->entries; i++) {
		struct prof_states *s = p->entry[i].sums.states;
		const struct sample *in = &of[p->entry[i].table - first_table];

		if (s && in->summed && in->unread.known > 0 && !s->off_cpu.weighted)
			calibrate_part_impute_row(s, &in->unread);
	}
}

static struct correction find_correction(const struct part *account, const struct sample *s)
{
	if (!(s->all.off > 0))
		return (struct correction){0};
	return (struct correction){.off = account->off - s->all.off,
				   .off_variance = s->all.off_variance,
				   .runnable = isnan(account->runnable) ? 0 : account->runnable,
				   .split_variance =
					   isnan(account->runnable) ? 0 : s->all.split_variance};
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

/* Where what was read has nothing of a part, no factor makes it more: it is set. */
static void scale_to(struct scp_off_cpu *o, const struct part *from, const struct part *to)
{
	struct factors by = factors_of(from, to);
	double read = o->known ? fmin((double)o->weighted / (double)o->known, 1) : 0;

	scale(o, &by);
	if (!o->runnable_ns)
		o->runnable_ns = scaled(1, fmax(to->runnable, 0) * read);
	if (!o->asleep_ns)
		o->asleep_ns = scaled(1, fmax(to->off - to->runnable, 0) * read);
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
	struct part gaps = find_gaps(t, s, stolen),
		    calls = calibrate_part_sums(&t->call_off_cpu, stolen), to;

	to = correct(&gaps, c);
	scale_to(&t->gap_off_cpu, &gaps, &to);
	to = with_unread(*rows, s->unread_rows, t->call_off_cpu.known);
	scale_to(&t->call_off_cpu, &calls, &to);
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

		missing = c[i].runnable - runnable_of(find_gaps(t, &of[i], stolen), &c[i]);
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
	/* of which reports make their ratio */
	const struct part sums = calibrate_part_sums(&s->off_cpu, stolen);

	if (apart)
		from = sums;
	struct factors by = factors_of(&from, &to);
	s->moved_runnable += sums.runnable * (by.runnable - 1);
	s->moved_asleep += (sums.off - sums.runnable) * (by.asleep - 1);
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
	for (uint32_t i = 0; i < tables; i++)
		add_table(&p->table[first_table + i], stolen, &of[i]);
	impute(p, first_table, first_entry, stolen, ns_per_unit, of);
	for (uint32_t i = 0; i < tables; i++) {
		struct part account;

		if (find_account(&p->table[first_table + i], stolen, ns_per_unit, &account))
			c[i] = find_correction(&account, &of[i]);
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
