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
	struct prof_table *table;
	struct part all, unread;
	double unread_rows;
	double switched, readings; /* calls */
	bool summed;		   /* by rows */
	bool gaps_imputed;
	struct part missing; /* to the kernel's account: divided as the variances are */
	struct part rows;    /* what they have from now on */
};

/* The tables and entries of one process's file. */
struct calibration {
	struct prof_entry *entry, *end;
	struct sample *of, *of_end; /* by table */
	uint32_t first_table;
	double stolen, ns_per_unit;
};

static struct sample *sample_of(const struct calibration *k, const struct prof_entry *e)
{
	return &k->of[e->table - k->first_table];
}

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

static struct part find_gaps(const struct sample *s, double stolen)
{
	return calibrate_part_gaps(&s->table->states, s->gaps_imputed ? 0 : unread_of(s), stolen);
}

/* Rows are estimated one by one; where calls lie in others their sum counts some time twice. */
static void add_rows(const struct calibration *k)
{
	for (const struct prof_entry *e = k->entry; e < k->end; e++) {
		const struct prof_states *s = e->sums.states;
		struct sample *to = sample_of(k, e);

		if (!s || to->table->nested_units)
			continue;
		struct part part = calibrate_part_row(s, k->stolen);
		add_part(&to->all, &part);
		to->switched += (double)s->calls;
		to->readings += (double)s->readings;
		add_unread(to, &s->off_cpu);
		to->unread_rows = to->unread.known;
		to->summed = true;
	}
}

/* All of a table's calls as one part, where rows lie in one another. */
static struct part find_calls(const struct sample *s, double stolen)
{
	struct part calls = calibrate_part_sums(&s->table->states.call_off_cpu, stolen);

	calls.off_variance = calls.split_variance = calls.off * calls.off;
	return calls;
}

static void add_table(struct sample *s, double stolen)
{
	struct part part;

	if (!s->summed) {
		part = find_calls(s, stolen);
		add_part(&s->all, &part);
	}
	part = find_gaps(s, stolen);
	add_part(&s->all, &part);
	add_unread(s, &s->table->states.gap_off_cpu);
}

/* What is off the CPU stays so long where only its parts change. */
static struct part correct(const struct part *part, const struct part *missing)
{
	struct part to = *part;

	to.off += calibrate_part_share(missing->off, part->off_variance, missing->off_variance);
	to.off = fmin(fmax(to.off, 0), fmax(part->known, part->off));
	if (part->off > 0)
		to.runnable = part->runnable * to.off / part->off;
	to.runnable += calibrate_part_share(missing->runnable, part->split_variance,
					    missing->split_variance);
	to.runnable = fmin(fmax(to.runnable, 0), to.off);
	return to;
}

/* What the kernel says of a table. `runnable` NAN: it was asked too rarely. False: of all of it. */
static bool find_account(const struct calibration *k, const struct prof_table *t, struct part *to)
{
	const struct prof_table_states *s = &t->states;
	double time = (double)t->time_units * k->ns_per_unit, covered = (double)s->covered_ns;
	double delayed = (double)s->delay_covered_ns;

	if (!states_sees_all(s->detector) || s->torn || !(time > 0) ||
	    covered < COVERED_LEAST * time)
		return false;
	to->off = fmax(0, time * (1 - (double)s->cpu_ns / (1 - k->stolen) / covered));
	to->runnable = delayed < COVERED_LEAST * time
			       ? NAN
			       : fmin((double)s->delay_ns / delayed * time, to->off);
	return true;
}

/* From now on these rows, and the gaps, have sums as if each of them had been read. */
static void impute(const struct calibration *k)
{
	struct part account;

	for (struct sample *s = k->of; s < k->of_end; s++) {
		struct prof_table *t = s->table;
		double known =
			(double)t->states.call_off_cpu.known + (double)t->states.gap_off_cpu.known;

		if (!(s->unread.known > 0) || !find_account(k, t, &account))
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
	for (const struct prof_entry *e = k->entry; e < k->end; e++) {
		struct prof_states *s = e->sums.states;
		const struct sample *in = sample_of(k, e);

		if (s && in->summed && in->unread.known > 0 && !s->off_cpu.weighted)
			calibrate_part_impute_row(s, &in->unread);
	}
}

static void find_missing(const struct calibration *k, struct sample *s)
{
	struct part account;

	if (!find_account(k, s->table, &account) || !(s->all.off > 0))
		return;
	s->missing.off = account.off - s->all.off;
	s->missing.off_variance = s->all.off_variance;
	if (isnan(account.runnable))
		return;
	s->missing.runnable = account.runnable;
	s->missing.split_variance = s->all.split_variance;
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

/* Of the table's own sums: gaps as a part, calls as their rows have together, which are estimated
 * one by one. */
static void scale_table(const struct sample *s, double stolen)
{
	struct prof_table_states *t = &s->table->states;
	struct part gaps = find_gaps(s, stolen), to = correct(&gaps, &s->missing);
	struct part rows = find_calls(s, stolen);
	const struct part calls = calibrate_part_sums(&t->call_off_cpu, stolen);

	rows = s->summed ? s->rows : correct(&rows, &s->missing);
	scale_to(&t->gap_off_cpu, &gaps, &to);
	to = with_unread(rows, s->unread_rows, t->call_off_cpu.known);
	scale_to(&t->call_off_cpu, &calls, &to);
}

/* How much of *part is runnable once the time off the CPU is right. */
static double runnable_of(struct part part, const struct part *missing)
{
	part.split_variance = 0;
	return correct(&part, missing).runnable;
}

/* What is missing of the run delay once the time off the CPU is right; until then
 * s->missing.runnable is all of it. */
static void find_splits(const struct calibration *k)
{
	for (struct sample *s = k->of; s < k->of_end; s++) {
		double gaps = runnable_of(find_gaps(s, k->stolen), &s->missing);
		double calls = runnable_of(find_calls(s, k->stolen), &s->missing);

		s->missing.runnable = s->missing.runnable - gaps - (s->summed ? 0 : calls);
	}
	for (const struct prof_entry *e = k->entry; e < k->end; e++) {
		const struct prof_states *states = e->sums.states;
		struct sample *s = sample_of(k, e);

		if (states && s->summed)
			s->missing.runnable -=
				runnable_of(calibrate_part_row(states, k->stolen), &s->missing);
	}
}

static void calibrate_row(struct prof_states *s, struct sample *in, double stolen)
{
	struct part from = in->summed ? calibrate_part_row(s, stolen) : find_calls(in, stolen);
	struct part to = correct(&from, &in->missing);
	/* of which reports make their ratio */
	const struct part sums = calibrate_part_sums(&s->off_cpu, stolen);

	if (in->summed)
		from = sums;
	struct factors by = factors_of(&from, &to);
	s->moved_runnable += sums.runnable * (by.runnable - 1);
	s->moved_asleep += (sums.off - sums.runnable) * (by.asleep - 1);
	scale_row(s, &by);
	add_part(&in->rows, &to);
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

static void calibrate(const struct calibration *k)
{
	add_rows(k);
	for (struct sample *s = k->of; s < k->of_end; s++)
		add_table(s, k->stolen);
	impute(k);
	for (struct sample *s = k->of; s < k->of_end; s++)
		find_missing(k, s);
	find_splits(k);
	for (const struct prof_entry *e = k->entry; e < k->end; e++)
		if (e->sums.states)
			calibrate_row(e->sums.states, sample_of(k, e), k->stolen);
	for (const struct sample *s = k->of; s < k->of_end; s++)
		scale_table(s, k->stolen);
}

bool calibrate_file(struct profile *p, uint32_t first_table, uint32_t first_entry,
		    double ns_per_unit)
{
	uint32_t tables = p->tables - first_table;
	struct calibration k = {.entry = p->entry + first_entry,
				.end = p->entry + p->entries,
				.of = calloc((size_t)tables + 1, sizeof(*k.of)),
				.first_table = first_table,
				.stolen = share_stolen(p, first_table),
				.ns_per_unit = ns_per_unit};

	if (!k.of)
		return false;
	k.of_end = k.of + tables;
	for (uint32_t i = 0; i < tables; i++)
		k.of[i].table = &p->table[first_table + i];
	calibrate(&k);
	free(k.of);
	return true;
}
