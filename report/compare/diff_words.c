// SPDX-License-Identifier: GPL-3.0-or-later
/* Verdicts in words. */
#include "report/compare/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Beyond this a factor says more than a percentage. */
#define FACTOR 3
/* Samples that show no smaller change of any function are few. */
#define TELLING 1.2
/* Sites that came or went, of which the headline has the names. */
#define SIDES_NAMED 3

/* What does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t room,
							 const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, room - used, format, args);
	va_end(args);
}

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

double diff_words_unit(const struct diff_test *t)
{
	return 1 + fmin(t->high - t->ratio, t->ratio - t->low);
}

struct numbered diff_words_percent(double ratio, double unit)
{
	struct numbered n = {"?"};

	if (ratio >= FACTOR && isfinite(ratio))
		snprintf(n.text, sizeof(n.text), "x%.30s", numbered_digits(ratio, 3).text);
	else if (isfinite(ratio))
		snprintf(n.text, sizeof(n.text), "%+.*f %%", decimals_for(unit),
			 numbers_tidy(100 * (ratio - 1), decimals_for(unit)));
	return n;
}

/* "by 4.1 to 6.0 %", of a change whose sign is known; "by 5 % (-1 % ... +11 %)" of one
 * whose interval, which is for this site alone, contains no change. */
static void by_how_much(const struct diff_test *t, char *text, size_t room)
{
	double unit = diff_words_unit(t);
	double least = t->ratio > 1 ? t->low - 1 : 1 - t->high;
	double most = t->ratio > 1 ? t->high - 1 : 1 - t->low;
	struct numbered amount = diff_words_percent(t->ratio, unit);
	int decimals = decimals_for(unit);

	if (least > 0 && !isfinite(most))
		snprintf(text, room, "by %.*f %% or more", decimals, 100 * least);
	else if (least > 0 && t->ratio >= FACTOR) {
		snprintf(text, room, "by a factor of %s to %s", numbered_digits(1 + least, 3).text,
			 numbered_digits(1 + most, 3).text);
	} else if (least > 0) {
		snprintf(text, room, "by %.*f to %.*f %%", decimals, 100 * least, decimals,
			 100 * most);
	} else {
		snprintf(text, room, "by %s (%s ... %s)", amount.text + strspn(amount.text, "+-"),
			 diff_words_percent(t->low, unit).text,
			 diff_words_percent(t->high, unit).text);
	}
}

static const char *of_what(const struct diff *d, const struct diff_site *s,
			   const struct diff_finding *f)
{
	const struct diff_common *c = &d->common[diff_estimate_quantity(f->view)][s->waiting];
	bool undisturbed = f->view == DIFF_UNDISTURBED || f->view == DIFF_UNSWITCHED_UNDISTURBED;
	bool shared =
		d->profiles == 2 ? f->shown.relative : c->sites && (c->low > 1 || c->high < 1);

	/* Where sites share no change, there is nothing to compare with. */
	if (f->against == DIFF_OWN && shared)
		return d->samples    ? " against the other functions"
		       : undisturbed ? " against the other sites, where undisturbed"
				     : " against the other sites";
	return undisturbed ? " where undisturbed" : "";
}

/* Of the run that has the fewest. */
static uint64_t fewest_calls(const struct diff *d, const struct diff_site *s)
{
	uint64_t calls = UINT64_MAX;

	for (uint32_t i = 0; i < d->profiles; i++)
		if (s->run[i].calls && s->run[i].calls < calls)
			calls = s->run[i].calls;
	return calls;
}

static void untested_words(const struct diff *d, const struct diff_site *s,
			   const struct diff_finding *f, char *text, size_t room)
{
	const char *const words[][2] = {
		{DIFF_FEW_TICKS, "too few ticks"},
		{DIFF_FEW_CALLS, d->samples ? "too few samples" : "too few calls"},
		{DIFF_UNLIKE, "the runs of a side differ too much"},
		{DIFF_SWITCHED, "all calls were switched"},
	};
	const char *why = f->reason;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		why = !strcmp(f->reason, words[i][0]) ? words[i][1] : why;
	snprintf(text, room, "cannot be determined: %s", why);
	if (!strcmp(f->reason, DIFF_FEW_CALLS))
		append(text, room, " (%" PRIu64 ")", fewest_calls(d, s));
}

static void same_words(const struct diff *d, const struct diff_finding *f, char *text, size_t room)
{
	double percent = 100 * (f->shown.detectable - 1);
	const char *beyond =
		f->against == DIFF_TOTAL && d->profiles == 2 ? "beyond what machines do" : "seen";
	const char *of = diff_estimate_quantity(f->view) == DIFF_CPU_TIME ? "of CPU time " : "";

	if (f->shown.detectable >= FACTOR)
		snprintf(text, room, "no change %s%s; one by a factor of %s would have been", of,
			 beyond, numbered_digits(f->shown.detectable, 2).text);
	else
		snprintf(text, room, "no change %s%s; one of %.*f %% would have been", of, beyond,
			 percent >= 9.5	   ? 0
			 : percent >= 0.95 ? 1
					   : 2,
			 percent);
}

static void finding_words(const struct diff *d, const struct diff_site *s,
			  const struct diff_finding *f, char *text, size_t room)
{
	char by[96];

	if (diff_is_changed(f)) {
		by_how_much(&f->shown, by, sizeof(by));
		snprintf(text, room, "%s %s%s", diff_words_status_name(f->status), by,
			 of_what(d, s, f));
	} else if (f->status == DIFF_SAME) {
		same_words(d, f, text, room);
	} else if (f->status == DIFF_UNTESTED) {
		untested_words(d, s, f, text, room);
	}
}

void diff_words(const struct diff *d, const struct diff_site *s, char *text, size_t room)
{
	const struct diff_finding *f = &s->verdict;
	bool cpu = diff_estimate_quantity(f->view) == DIFF_CPU_TIME;

	*text = '\0';
	if (f->status == DIFF_ONLY_BASE)
		snprintf(text, room, s->counts ? "gone" : "gone: only in base");
	else if (f->status == DIFF_ONLY_NEW)
		snprintf(text, room, s->counts ? "new" : "new: only in new");
	if (*text && d->samples && !s->counts)
		snprintf(text, room, "only in %s: too few samples to tell",
			 f->status == DIFF_ONLY_NEW ? "new" : "base");
	else if (s->states && diff_is_changed(f))
		snprintf(text, room, cpu ? "CPU time " : "elapsed time ");
	finding_words(d, s, f, text + strlen(text), room - strlen(text));
}

void diff_words_other(const struct diff *d, const struct diff_site *s, char *text, size_t room)
{
	bool cpu = diff_estimate_quantity(s->verdict.view) == DIFF_CPU_TIME;
	const struct diff_finding *f = &s->found[cpu ? DIFF_ELAPSED : DIFF_CPU_TIME];
	char words[DIFF_WORDS];

	*text = '\0';
	if (!s->states || !diff_is_changed(&s->verdict))
		return;
	if (f->status == DIFF_SAME)
		snprintf(words, sizeof(words), "no significant change");
	else
		finding_words(d, s, f, words, sizeof(words));
	snprintf(text, room, "%s: %s", cpu ? "elapsed time" : "CPU time", words);
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void verdict_words(const struct diff *d, char *text, size_t room)
{
	uint32_t changed = d->slower + d->faster, compared = changed + d->same;
	const char *row = d->samples ? "function" : "site";
	/* names come and go with a few samples */
	uint32_t gone = d->samples ? d->gone : d->only_base;
	uint32_t came = d->samples ? d->came : d->only_new;

	if (!compared && d->untested)
		append(text, room,
		       "nothing could be compared: the %s%s%s that both have %s too little",
		       d->untested == 1 ? "one " : "", row, plural(d->untested),
		       d->untested == 1 ? "says" : "say");
	else if (!compared)
		append(text, room, "nothing could be compared: no %s is in both", row);
	else if (!changed)
		append(text, room, "no significant change at %" PRIu32 " %s%s", compared, row,
		       plural(compared));
	else
		append(text, room,
		       "%" PRIu32 " of %" PRIu32 " %s%s changed: %" PRIu32 " slower, %" PRIu32
		       " faster",
		       changed, compared, row, plural(compared), d->slower, d->faster);
	if (d->untested && compared)
		append(text, room, "; %" PRIu32 " more cannot be determined", d->untested);
	if (gone + came)
		append(text, room, "; %" PRIu32 " only in base, %" PRIu32 " only in new", gone,
		       came);
}

void diff_words_verdict(const struct diff *d, char *text, size_t room)
{
	*text = '\0';
	if (d->sites || !d->computing)
		verdict_words(d, text, room);
	else
		append(text, room, "no call was recorded");
	if (!d->computing)
		return;
	append(text, room, ". Computing: ");
	verdict_words(d->computing, text, room);
}

/* The best of the tests that saw nothing. */
void diff_words_power(const struct diff *d, char *text, size_t room)
{
	double least = INFINITY;
	uint64_t samples[DIFF_SIDES] = {0, 0};

	*text = '\0';
	for (uint32_t i = 0; i < d->sites; i++) {
		const struct diff_finding *f = &d->site[i].verdict;

		for (int k = 0; k < DIFF_SIDES; k++)
			samples[k] += (uint64_t)llround(d->site[i].side[k].calls);
		if (f->status <= DIFF_SAME)
			least = fmin(least, f->shown.detectable);
		if (diff_is_changed(f)) /* which was seen, by luck */
			least = fmin(least, fmax(f->shown.ratio, 1 / f->shown.ratio));
	}
	if (!(least > TELLING))
		return;
	append(text, room, "%s and %s samples a run are few: ", numbered_count(samples[0]).text,
	       numbered_count(samples[1]).text);
	if (!isfinite(least))
		append(text, room, "no change of a function that both have");
	else if (least >= FACTOR)
		append(text, room, "no change of a function by less than a factor of %s",
		       numbered_digits(least, 2).text);
	else
		append(text, room, "no change of a function by less than %.0f %%",
		       100 * (least - 1));
	append(text, room,
	       " would have been seen. Longer runs, more of them, or --sample 1ms tell more");
}

/* "2 sites gone: sendfile64 (120,000 calls), write (120,000 calls)" of those that count. */
static void list_sides(const struct diff *d, enum diff_status status, char *text, size_t room)
{
	bool gone = status == DIFF_ONLY_BASE;
	uint32_t named = 0, count = gone ? d->gone : d->came;

	if (!count)
		return;
	append(text, room, "%s%" PRIu32 " site%s %s: ", *text ? "; " : "", count, plural(count),
	       gone ? "gone" : "new");
	for (uint32_t i = 0; i < d->sites && named < SIDES_NAMED; i++) {
		const struct diff_site *s = &d->site[i];
		uint64_t calls = (uint64_t)llround(s->side[gone ? DIFF_BASE : DIFF_NEW].calls);

		if (!s->counts || s->verdict.status != status)
			continue;
		append(text, room, "%s%.60s (%s call%s)", named++ ? ", " : "", s->symbol,
		       numbered_count(calls).text, calls == 1 ? "" : "s");
	}
	if (named < count)
		append(text, room, ", and %" PRIu32 " more", count - named);
}

void diff_words_sides(const struct diff *d, char *text, size_t room)
{
	*text = '\0';
	list_sides(d, DIFF_ONLY_BASE, text, room);
	list_sides(d, DIFF_ONLY_NEW, text, room);
}

void diff_words_per(const struct diff *d, bool utf8, char *text, size_t room)
{
	const struct diff_side *base = &d->per.side[DIFF_BASE], *new = &d->per.side[DIFF_NEW];
	const struct diff_test *t = &d->per.time;
	double unit = diff_words_unit(t);

	*text = '\0';
	if (!d->per.symbol)
		return;
	append(text, room, "for each %.60s: %s calls, then %s; %s in calls that work, then %s",
	       d->options.per, numbered_digits(base->calls, 4).text,
	       numbered_digits(new->calls, 4).text, numbered_duration(base->ns, utf8).text,
	       numbered_duration(new->ns, utf8).text);
	if (isfinite(t->low))
		append(text, room, " (%s ... %s)", diff_words_percent(t->low, unit).text,
		       diff_words_percent(t->high, unit).text);
}

void diff_words_common(const struct diff *d, enum diff_quantity of, bool waiting, char *text,
		       size_t room)
{
	const struct diff_common *c = &d->common[of][waiting];
	const char *kind = waiting ? "sites that wait" : "sites that work";
	const char *what = !d->common[DIFF_CPU_TIME][waiting].sites ? ""
			   : of == DIFF_CPU_TIME		    ? " in CPU time"
								    : " in elapsed time";
	struct diff_test t = {.ratio = c->ratio, .low = c->low, .high = c->high};
	char by[96];

	*text = '\0';
	if (!c->sites)
		return;
	by_how_much(&t, by, sizeof(by));
	if (c->low <= 1 && c->high >= 1)
		snprintf(text, room, "the %" PRIu32 " %s share no change%s (%+.1f ... %+.1f %%)",
			 c->sites, kind, what, numbers_tidy(100 * (c->low - 1), 1),
			 numbers_tidy(100 * (c->high - 1), 1));
	else
		snprintf(text, room, "the %" PRIu32 " %s together are %s %s%s", c->sites, kind,
			 c->ratio > 1 ? "slower" : "faster", by, what);
}

const char *diff_words_view_name(enum diff_view view)
{
	static const char *const names[] = {[DIFF_MEAN] = "mean",
					    [DIFF_UNDISTURBED] = "undisturbed",
					    [DIFF_UNSWITCHED] = "unswitched",
					    [DIFF_UNSWITCHED_UNDISTURBED] =
						    "unswitched-undisturbed"};

	return names[view];
}

const char *diff_words_against_name(enum diff_against against)
{
	return against == DIFF_OWN ? "other-sites" : "base";
}
