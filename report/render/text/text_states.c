// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of a row's calls went, in one line of shares, and what a call takes that keeps its
 * CPU. */
#include "report/render/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/model/states.h"
#include "report/wording/numbers.h"

/* Chance makes a share of little time go below nothing; fmax would take NAN for 0. */
static double share_of(double part_ns, double all_ns)
{
	return all_ns > 0 && !isnan(part_ns) ? fmin(fmax(part_ns / all_ns, 0), 1) : NAN;
}

bool text_states_cpu(const struct report_site *s, char *out, size_t room)
{
	double share = share_of(s->states.on_cpu.mean, s->estimate.mean);

	if (!s->states.known || isnan(share))
		return false;
	snprintf(out, room, "%.0f %%", 100 * share);
	return true;
}

static void share_with_limits(char *out, size_t room, double share, double low, double high)
{
	snprintf(out, room, "%.0f %% [%.0f, %.0f]", 100 * share, 100 * low, 100 * high);
}

static unsigned doubts(const struct report_states *t)
{
	return t->on_cpu.unreliable | t->runnable.unreliable | t->asleep.unreliable;
}

static void note_shares(struct table *table, const struct report_states *t)
{
	double all = t->on_cpu.mean + t->runnable.mean + t->asleep.mean;
	char cpu[32], runnable[32], asleep[32], line[160];

	if (isnan(all)) {
		table_note(table,
			   "% some calls lost their CPU or slept; for how long was not measured");
		return;
	}
	numbers_share(cpu, sizeof(cpu), share_of(t->on_cpu.mean, all));
	numbers_share(runnable, sizeof(runnable), share_of(t->runnable.mean, all));
	numbers_share(asleep, sizeof(asleep), share_of(t->asleep.mean, all));
	snprintf(line, sizeof(line), "%% %son CPU %s, runnable %s, asleep %s",
		 doubts(t) ? "about: " : "", cpu, runnable, asleep);
	table_note(table, line);
}

/* The mean of the others hides it. */
static void note_unswitched(const struct text *t, struct table *table, const struct report_site *s)
{
	const struct mean_interval *m = &s->states.unswitched;
	struct number_mean shown;
	char share[32], line[160];

	if (isnan(m->mean) || !(s->estimate.mean < m->low || s->estimate.mean > m->high))
		return;
	if (s->states.switched_share < 0.0005)
		snprintf(share, sizeof(share), "> 99.9 %%");
	else
		numbers_share(share, sizeof(share), 1 - s->states.switched_share);
	numbers_mean(&shown, m->mean, m->low, m->high, t->terminal.utf8);
	snprintf(line, sizeof(line), "%% %s of the calls kept their CPU: mean %s %s %s", share,
		 shown.mean, shown.unit, shown.interval);
	table_note(table, line);
}

/* What makes the longest calls long, where it is not what the other calls do as well. */
static void note_tail(struct table *table, const struct report_states *t)
{
	char lost[64], slept[64], line[192];

	if (!t->tail_differs)
		return;
	share_with_limits(lost, sizeof(lost), t->tail_lost, t->tail_lost_low, t->tail_lost_high);
	share_with_limits(slept, sizeof(slept), t->tail_slept, t->tail_slept_low,
			  t->tail_slept_high);
	snprintf(line, sizeof(line), "%% above P99: %s of the calls lost their CPU, %s slept", lost,
		 slept);
	table_note(table, line);
}

void text_states_notes(const struct text *t, struct table *table, const struct report_site *s)
{
	if (!s->states.known || !s->states.switched_calls)
		return;
	note_shares(table, &s->states);
	note_unswitched(t, table, s);
	note_tail(table, &s->states);
}

bool text_states_call(const struct report_slowest *s, char *out, size_t room)
{
	double cpu = s->duration_ns - s->runnable_ns - s->asleep_ns, most = cpu;
	const char *word = "on CPU";

	if (s->state == SCP_SLOWEST_UNKNOWN || s->state > SCP_SLOWEST_READ)
		return false;
	if (s->state != SCP_SLOWEST_READ) {
		snprintf(out, room, "%s", s->state == SCP_SLOWEST_RAN ? "on CPU" : "switched");
		return true;
	}
	if (!(s->duration_ns > 0))
		return false;
	if (s->runnable_ns > most) {
		most = s->runnable_ns;
		word = "runnable";
	}
	if (s->asleep_ns > most) {
		most = s->asleep_ns;
		word = "asleep";
	}
	snprintf(out, room, "%s %.0f %%", word, 100 * share_of(most, s->duration_ns));
	return true;
}
