// SPDX-License-Identifier: GPL-3.0-or-later
/* Verdicts in words. */
#include "report/compare/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/wording/numbers.h"

/* Beyond this a factor says more than a percentage. */
#define FACTOR 3

const char *diff_words_status_name(enum diff_status status)
{
	static const char *const names[] = {
		[DIFF_SLOWER] = "slower",	   [DIFF_FASTER] = "faster",
		[DIFF_SAME] = "no-change-seen",	   [DIFF_UNTESTED] = "not-compared",
		[DIFF_ONLY_BASE] = "only-in-base", [DIFF_ONLY_NEW] = "only-in-new",
	};

	return names[status];
}

/* Decimals of a percentage, so that `unit` shows two digits, or one of them. */
static int decimals_for(double unit)
{
	double percent = 100 * fabs(unit - 1);

	return percent >= 10 ? 0 : percent >= 0.1 || !isfinite(percent) ? 1 : 2;
}

void diff_words_percent(char *text, size_t room, double ratio, double unit)
{
	if (!isfinite(ratio))
		snprintf(text, room, "?");
	else if (ratio >= FACTOR)
		snprintf(text, room, "x"), numbers_significant(text + 1, room - 1, ratio, 3);
	else
		snprintf(text, room, "%+.*f %%", decimals_for(unit), 100 * (ratio - 1));
}

/* "by 4.1 to 6.0 %", of a change whose sign is known; "by 5 % (-1 % ... +11 %)" of one
 * whose interval, which is for this site alone, contains no change. */
static void by_how_much(const struct diff_test *t, char *text, size_t room)
{
	double unit = 1 + fmin(t->high - t->ratio, t->ratio - t->low);
	double least = t->ratio > 1 ? t->low - 1 : 1 - t->high;
	double most = t->ratio > 1 ? t->high - 1 : 1 - t->low;
	char amount[24], low[24], high[24];
	int decimals = decimals_for(unit);

	if (least > 0 && !isfinite(most))
		snprintf(text, room, "by %.*f %% or more", decimals, 100 * least);
	else if (least > 0 && t->ratio >= FACTOR) {
		numbers_significant(low, sizeof(low), 1 + least, 3);
		numbers_significant(high, sizeof(high), 1 + most, 3);
		snprintf(text, room, "by a factor of %s to %s", low, high);
	} else if (least > 0) {
		snprintf(text, room, "by %.*f to %.*f %%", decimals, 100 * least, decimals,
			 100 * most);
	} else {
		diff_words_percent(amount, sizeof(amount), t->ratio, unit);
		diff_words_percent(low, sizeof(low), t->low, unit);
		diff_words_percent(high, sizeof(high), t->high, unit);
		snprintf(text, room, "by %s (%s ... %s)",
			 *amount == '+' || *amount == '-' ? amount + 1 : amount, low, high);
	}
}

static const char *of_what(const struct diff *d, const struct diff_site *s)
{
	const struct diff_common *c = &d->common[s->waiting];

	/* Where sites share no change, there is nothing to compare with. */
	if (s->against == DIFF_OWN && c->sites && (c->low > 1 || c->high < 1))
		return s->view == DIFF_UNDISTURBED ? " against the other sites, where undisturbed"
						   : " against the other sites";
	return s->view == DIFF_UNDISTURBED ? " where undisturbed" : "";
}

static void untested_words(const struct diff_site *s, char *text, size_t room)
{
	if (!strcmp(s->reason, DIFF_FEW_TICKS))
		snprintf(text, room, "cannot be determined: too few ticks");
	else if (!strcmp(s->reason, DIFF_FEW_CALLS))
		snprintf(text, room, "cannot be determined: too few calls");
	else if (!strcmp(s->reason, DIFF_UNLIKE))
		snprintf(text, room, "cannot be determined: the runs of a side differ too much");
	else
		snprintf(text, room, "cannot be determined: %s", s->reason);
}

static void same_words(const struct diff *d, const struct diff_site *s, char *text, size_t room)
{
	double percent = 100 * (s->shown.detectable - 1);
	const char *what = s->against == DIFF_TOTAL && d->profiles == 2
				   ? "no change beyond what machines do"
				   : "no change seen";
	char factor[32];

	if (s->shown.detectable >= FACTOR) {
		numbers_significant(factor, sizeof(factor), s->shown.detectable, 2);
		snprintf(text, room, "%s; one by a factor of %s would have been", what, factor);
	} else
		snprintf(text, room, "%s; one of %.*f %% would have been", what,
			 percent >= 9.5	   ? 0
			 : percent >= 0.95 ? 1
					   : 2,
			 percent);
}

void diff_words(const struct diff *d, const struct diff_site *s, char *text, size_t room)
{
	char by[96];

	switch (s->status) {
	case DIFF_SLOWER:
	case DIFF_FASTER:
		by_how_much(&s->shown, by, sizeof(by));
		snprintf(text, room, "%s %s%s", diff_words_status_name(s->status), by,
			 of_what(d, s));
		return;
	case DIFF_SAME:
		same_words(d, s, text, room);
		return;
	case DIFF_UNTESTED:
		untested_words(s, text, room);
		return;
	case DIFF_ONLY_BASE:
		snprintf(text, room, "gone: only in base");
		return;
	case DIFF_ONLY_NEW:
		snprintf(text, room, "new: only in new");
		return;
	}
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

void diff_words_verdict(const struct diff *d, char *text, size_t room)
{
	uint32_t changed = d->slower + d->faster, compared = changed + d->same;
	int used = 0;

	if (!compared && d->untested)
		used = snprintf(text, room, "nothing could be compared: %s",
				d->untested == 1 ? "the one site that both have says too little"
						 : "the sites that both have say too little");
	else if (!compared)
		used = snprintf(text, room, "nothing could be compared: no site is in both");
	else if (!changed)
		used = snprintf(text, room, "no significant change at %" PRIu32 " site%s", compared,
				plural(compared));
	else
		used = snprintf(text, room,
				"%" PRIu32 " of %" PRIu32 " site%s changed: %" PRIu32
				" slower, %" PRIu32 " faster",
				changed, compared, plural(compared), d->slower, d->faster);
	if (d->untested && compared && used > 0 && (size_t)used < room)
		used += snprintf(text + used, room - (size_t)used,
				 "; %" PRIu32 " more cannot be determined", d->untested);
	if (d->only_base + d->only_new && used > 0 && (size_t)used < room)
		snprintf(text + used, room - (size_t)used,
			 "; %" PRIu32 " only in base, %" PRIu32 " only in new", d->only_base,
			 d->only_new);
}

void diff_words_common(const struct diff *d, bool waiting, char *text, size_t room)
{
	const struct diff_common *c = &d->common[waiting];
	const char *kind = waiting ? "sites that wait" : "sites that work";
	struct diff_test t = {.ratio = c->ratio, .low = c->low, .high = c->high};
	char by[96];

	*text = '\0';
	if (!c->sites)
		return;
	by_how_much(&t, by, sizeof(by));
	if (c->low <= 1 && c->high >= 1)
		snprintf(text, room, "the %" PRIu32 " %s share no change (%+.1f ... %+.1f %%)",
			 c->sites, kind, 100 * (c->low - 1), 100 * (c->high - 1));
	else
		snprintf(text, room, "the %" PRIu32 " %s together are %s %s%s", c->sites, kind,
			 c->ratio > 1 ? "slower" : "faster", by,
			 d->profiles > 2 ? ""
					 : "; one run a side cannot tell whether that is the "
					   "program's doing or the machine's");
}
