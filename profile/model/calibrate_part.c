// SPDX-License-Identifier: GPL-3.0-or-later

#include <math.h>

#include "profile/model/calibrate.h"

/* What reading changes in a wait, relative to it: a part of each variance. */
#define CHANGED 0.001

static double square(double x)
{
	return x * x;
}

/* What was stolen in segments with a wait looks asleep (struct scp_off_cpu). */
struct part calibrate_part_sums(const struct scp_off_cpu *o, double stolen)
{
	double factor = o->weighted ? (double)o->known / (double)o->weighted : 0;
	double taken = stolen / (1 - stolen) * (double)o->ran_ns;
	double runnable = factor * (double)o->runnable_ns;

	return (struct part){.known = (double)o->known,
			     .off = runnable + factor * fmax(0, (double)o->asleep_ns - taken),
			     .runnable = runnable};
}

static double runnable_share(const struct scp_off_cpu *o)
{
	double both = (double)o->runnable_ns + (double)o->asleep_ns;

	return both > 0 ? (double)o->runnable_ns / both : 0;
}

/* How long off the CPU for each ns of a call, by batches: a line through the origin, which long
 * calls decide; of these the time on the CPU is a small rest. */
static double slope_of(const struct prof_states *s)
{
	double products = 0, squares = 0;

	for (uint32_t i = 0; i < SCP_BATCHES; i++) {
		double length = (double)s->batches->weighted[i];

		products += length *
			    ((double)s->batches->runnable_ns[i] + (double)s->batches->asleep_ns[i]);
		squares += length * length;
	}
	return squares > 0 ? fmin(products / squares, 1) : 0;
}

/* By the regression on the durations of all switched calls, which are known (Cochran 1977, 7.1):
 * what is not in proportion to them makes its variance. */
static void add_batches(const struct prof_states *s, struct part *to)
{
	const struct scp_off_cpu *o = &s->off_cpu;
	double share = runnable_share(o), slope = slope_of(s);
	double read =
		to->off * (double)o->weighted / (double)o->known; /* without what was not read */
	double off = read + slope * ((double)o->known - (double)o->weighted);

	off = fmin(fmax(off, 0), (double)o->known);
	to->runnable *= to->off > 0 ? off / to->off : 1;
	to->off = off;
	for (uint32_t i = 0; i < SCP_BATCHES; i++) {
		double runnable = (double)s->batches->runnable_ns[i];
		double all = runnable + (double)s->batches->asleep_ns[i];
		double beyond = all - slope * (double)s->batches->weighted[i];
		double split = runnable - share * all;

		to->off_variance += beyond * beyond;
		to->split_variance += split * split;
	}
}

/* Of `n` intervals that were read and are as long as one another: those that are nearly all of
 * their time off the CPU, or on it, leave little to chance. */
static double few_variance(double off, uint64_t known, double n)
{
	double least = fmin(off, fmax(0, (double)known - off));

	return least * least / fmax(n, 1);
}

static void add_squares(const struct prof_states *s, struct part *to)
{
	double runnable = (double)s->runnable_sq, asleep = (double)s->asleep_sq;
	double both = (double)s->runnable_asleep, share = runnable_share(&s->off_cpu);

	to->off_variance = few_variance(to->off, s->off_cpu.known, (double)s->readings);
	to->split_variance = (1 - share) * (1 - share) * runnable - 2 * share * (1 - share) * both +
			     share * share * asleep;
	to->split_variance = fmax(0, to->split_variance);
}

/* Of a row whose every switched call was read nothing is left to chance. */
struct part calibrate_part_row(const struct prof_states *s, double stolen)
{
	struct part part = calibrate_part_sums(&s->off_cpu, stolen);
	double unread = s->readings ? 1 - fmin((double)s->readings / (double)s->calls, 1) : 0;

	if (s->batches && s->off_cpu.weighted && s->off_cpu.known)
		add_batches(s, &part);
	else
		add_squares(s, &part);
	part.off_variance = unread * (part.off_variance + square(CHANGED * part.off));
	part.split_variance *= unread;
	return part;
}

double calibrate_part_share(double missing, double variance, double all)
{
	return all > 0 ? missing * variance / all : 0;
}

struct part calibrate_part_unread(const struct part *account, const struct part *read,
				  const struct part *unread, double known)
{
	struct part u = *unread;
	double share = read->off > 0 ? fmin(read->runnable / read->off, 1) : 0;

	u.off = known > 0 ? account->off * fmin(u.known / known, 1) : 0;
	u.off += calibrate_part_share(account->off - read->off - u.off, u.off_variance,
				      u.off_variance + read->off_variance);
	u.off = fmin(fmax(u.off, 0), u.known);
	u.runnable = u.off * share;
	if (isnan(account->runnable) || !(u.known > 0))
		return u;
	u.runnable = account->off > 0 ? u.off * account->runnable / account->off : 0;
	u.split_variance = square(u.off / u.known) * u.off_variance;
	u.runnable +=
		calibrate_part_share(account->runnable - read->runnable - u.runnable,
				     u.split_variance, u.split_variance + read->split_variance);
	u.runnable = fmin(fmax(u.runnable, 0), u.off);
	return u;
}

/* Of `ns`, rounded down: parts are no more than the whole. */
static uint64_t part_of(uint64_t ns, double share)
{
	return (uint64_t)fmin(floor((double)ns * share), 0x1p63);
}

void calibrate_part_impute(struct scp_off_cpu *o, const struct part *as)
{
	o->weighted = o->known;
	o->runnable_ns = part_of(o->known, as->runnable / as->known);
	o->asleep_ns = part_of(o->known, (as->off - as->runnable) / as->known);
}

/* Of sums over calls that are as long as one another. */
static prof_u128 product_of(const struct prof_states *s, double a, double b)
{
	return s->calls ? (prof_u128)fmin(a * b / (double)s->calls, 0x1p126) : 0;
}

void calibrate_part_impute_row(struct prof_states *s, const struct part *as)
{
	double units = (double)s->units, runnable, asleep;

	calibrate_part_impute(&s->off_cpu, as);
	runnable = (double)s->off_cpu.runnable_ns;
	asleep = (double)s->off_cpu.asleep_ns;
	s->runnable_sq = product_of(s, runnable, runnable);
	s->asleep_sq = product_of(s, asleep, asleep);
	s->runnable_asleep = product_of(s, runnable, asleep);
	s->units_runnable = product_of(s, units, runnable);
	s->units_asleep = product_of(s, units, asleep);
	for (uint32_t i = 0; s->batches && i < SCP_BATCHES; i++) {
		struct scp_off_cpu batch = {.known = s->batches->known[i]};

		calibrate_part_impute(&batch, as);
		s->batches->weighted[i] = batch.weighted;
		s->batches->runnable_ns[i] = batch.runnable_ns;
		s->batches->asleep_ns[i] = batch.asleep_ns;
	}
}

/* Gaps have no squares: as if each that was switched were as long as any other, and as often read
 * as a call is. Of what the weights of those that were read lack to the length of all, any part may
 * have been off the CPU, and any of that runnable: long ones were not read. */
struct part calibrate_part_gaps(const struct prof_table_states *t, double unread, double stolen)
{
	const struct scp_off_cpu *o = &t->gap_off_cpu;
	struct part part = calibrate_part_sums(o, stolen);
	double read = fmax((double)t->gaps * (1 - unread), 1);
	double share = runnable_share(o), lack = 0, off = 0;

	if (o->weighted && o->known > o->weighted) {
		lack = square((double)o->known - (double)o->weighted) / 12;
		off = part.off / part.known;
	}
	part.off_variance = unread * (few_variance(part.off, o->known, read) +
				      square(CHANGED * part.off) + lack);
	part.split_variance =
		unread * (share * (1 - share) * square(part.off) / read + square(off) * lack);
	return part;
}

/* The kernel was asked at the beginning and the end of at least so much of the time. */
#define ASKED_LEAST 0.5

double steal_share(const struct profile *p, uint32_t first, double *ran_ns)
{
	double ran = 0, stolen = 0;

	for (uint32_t i = first; i < p->tables; i++) {
		const struct prof_table_states *s = &p->table[i].states;

		if (!states_sees_all(s->detector))
			continue;
		ran += (double)s->ran_ns;
		stolen += (double)s->stolen_ns - (double)s->overcharged_ns;
	}
	*ran_ns = ran;
	return ran > 0 ? fmin(fmax(stolen, 0) / ran, 1) : NAN;
}

double steal_share_error(const struct profile *p, double share)
{
	double squares = 0, ran = 0, tables = 0;

	for (uint32_t i = 0; i < p->tables; i++) {
		const struct prof_table_states *s = &p->table[i].states;
		double off = (double)s->stolen_ns - (double)s->overcharged_ns -
			     share * (double)s->ran_ns;

		if (!states_sees_all(s->detector))
			continue;
		squares += off * off;
		ran += (double)s->ran_ns;
		tables += s->ran_ns > 0;
	}
	return tables > 1 ? sqrt(squares * tables / (tables - 1)) / ran : NAN;
}

/* A process's CPUs may have more stolen than the machine's others: so many times their share. */
#define MOST_TIMES 2

/* Stolen time may be at most so much, in ns, and such a share of the threads' time on a CPU. */
struct limit {
	double ns, share;
};

/* Of the whole machine; NAN: the kernel was not asked. */
static struct limit find_limit(const struct scp_header *h)
{
	const struct scp_steal *from = &h->steal_first, *to = &h->steal_last;
	double asked = (double)to->mono_ns - (double)from->mono_ns;
	double time = (double)h->end_mono_ns - (double)h->start_mono_ns;

	if (from->known != SCP_STEAL_KNOWN || to->known != SCP_STEAL_KNOWN ||
	    to->stolen_ns < from->stolen_ns || to->busy_ns < from->busy_ns || !(asked > 0) ||
	    asked < ASKED_LEAST * time)
		return (struct limit){NAN, NAN};
	if (to->stolen_ns == from->stolen_ns)
		return (struct limit){0, 0};
	double stolen = (double)(to->stolen_ns - from->stolen_ns) + SCP_STEAL_STEP_NS;
	double busy = (double)(to->busy_ns - from->busy_ns) + SCP_STEAL_STEP_NS;
	return (struct limit){stolen * fmax(time / asked, 1), MOST_TIMES * stolen / busy};
}

void steal_limit(struct profile *p, uint32_t first, const struct scp_header *h)
{
	const struct limit limit = find_limit(h);
	double ran, stolen = steal_share(p, first, &ran) * ran;
	double most = fmin(limit.ns, limit.share * ran);

	if (isnan(limit.ns) || !(stolen > most))
		return;
	for (uint32_t i = first; i < p->tables; i++) {
		struct prof_table_states *s = &p->table[i].states;

		s->stolen_ns = (uint64_t)((double)s->stolen_ns * most / stolen);
		s->overcharged_ns = (uint64_t)((double)s->overcharged_ns * most / stolen);
	}
}
