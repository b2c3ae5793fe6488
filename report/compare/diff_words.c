// SPDX-License-Identifier: GPL-3.0-or-later
/* Verdicts in words. */
#include "report/compare/diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Beyond this a factor says more than a percentage. */
#define FACTOR 3
/* Samples that show no smaller change of any function are few. */
#define TELLING 1.2
/* Sites that came or went, of which the headline has the names. */
#define SIDES_NAMED 3

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
	if (!isfinite(ratio))
		return numbered_text("?");
	if (ratio >= FACTOR)
		return numbered_text("x%.30s", numbered_digits(ratio, 3).text);
	return numbered_text("%+.*f %%", decimals_for(unit),
			     numbers_tidy(100 * (ratio - 1), decimals_for(unit)));
}

/* "by 4.1 to 6.0 %", of a change whose sign is known; "by 5 % (-1 % ... +11 %)" of one
 * whose interval, which is for this site alone, contains no change. */
static struct words by_how_much(const struct diff_test *t)
{
	double unit = diff_words_unit(t);
	double least = t->ratio > 1 ? t->low - 1 : 1 - t->high;
	double most = t->ratio > 1 ? t->high - 1 : 1 - t->low;
	struct numbered amount = diff_words_percent(t->ratio, unit);
	struct words by = {"by "};
	int decimals = decimals_for(unit);

	if (!isfinite(t->ratio))
		return (struct words){"from about 0"};
	if (least > 0 && !isfinite(most))
		numbers_append(&by, "%.*f %% or more", decimals, 100 * least);
	else if (least > 0 && t->ratio >= FACTOR)
		numbers_append(&by, "a factor of %s to %s", numbered_digits(1 + least, 3).text,
			       numbered_digits(1 + most, 3).text);
	else if (least > 0)
		numbers_append(&by, "%.*f to %.*f %%", decimals, 100 * least, decimals, 100 * most);
	else
		numbers_append(&by, "%s (%s ... %s)", amount.text + strspn(amount.text, "+-"),
			       diff_words_percent(t->low, unit).text,
			       diff_words_percent(t->high, unit).text);
	return by;
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

/* Of the run that has the fewest; of CPU time, those that kept their CPU. */
static uint64_t fewest_calls(const struct diff *d, const struct diff_site *s, bool cpu)
{
	double calls = INFINITY;

	for (uint32_t i = 0; i < d->profiles; i++)
		if (s->run[i].calls)
			calls = fmin(calls,
				     cpu ? s->run[i].unswitched_calls : (double)s->run[i].calls);
	return (uint64_t)llround(calls);
}

static void untested_words(const struct diff *d, const struct diff_site *s,
			   const struct diff_finding *f, struct words *to)
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
	numbers_append(to, "cannot be determined: %s", why);
	if (!strcmp(f->reason, DIFF_FEW_CALLS))
		numbers_append(to, " (%" PRIu64 ")",
			       fewest_calls(d, s, f == &s->found[DIFF_CPU_TIME]));
}

static void same_words(const struct diff *d, const struct diff_finding *f, struct words *to)
{
	double percent = 100 * (f->shown.detectable - 1);
	const char *beyond =
		f->against == DIFF_TOTAL && d->profiles == 2 ? "beyond what machines do" : "seen";
	const char *of = diff_estimate_quantity(f->view) == DIFF_CPU_TIME ? "of CPU time " : "";

	if (f->shown.detectable >= FACTOR)
		numbers_append(to, "no change %s%s; one by a factor of %s would have been", of,
			       beyond, numbered_digits(f->shown.detectable, 2).text);
	else
		numbers_append(to, "no change %s%s; one of %.*f %% would have been", of, beyond,
			       percent >= 9.5	 ? 0
			       : percent >= 0.95 ? 1
						 : 2,
			       percent);
}

static void finding_words(const struct diff *d, const struct diff_site *s,
			  const struct diff_finding *f, struct words *to)
{
	if (diff_is_changed(f))
		numbers_append(to, "%s %s%s", diff_words_status_name(f->status),
			       by_how_much(&f->shown).text, of_what(d, s, f));
	else if (f->status == DIFF_SAME)
		same_words(d, f, to);
	else if (f->status == DIFF_UNTESTED)
		untested_words(d, s, f, to);
}

struct words diff_words(const struct diff *d, const struct diff_site *s)
{
	const struct diff_finding *f = &s->verdict;
	bool base = f->status == DIFF_ONLY_BASE, new = f->status == DIFF_ONLY_NEW;
	bool cpu = diff_estimate_quantity(f->view) == DIFF_CPU_TIME;
	struct words to = {""};

	if ((base || new) && d->samples && !s->counts)
		numbers_append(&to, "only in %s: too few samples to tell", new ? "new" : "base");
	else if (base)
		numbers_append(&to, s->counts ? "gone" : "gone: only in base");
	else if (new)
		numbers_append(&to, s->counts ? "new" : "new: only in new");
	else if (s->states && diff_is_changed(f))
		numbers_append(&to, cpu ? "CPU time " : "elapsed time ");
	finding_words(d, s, f, &to);
	return to;
}

struct words diff_words_other(const struct diff *d, const struct diff_site *s)
{
	bool cpu = diff_estimate_quantity(s->verdict.view) == DIFF_CPU_TIME;
	const struct diff_finding *f = &s->found[cpu ? DIFF_ELAPSED : DIFF_CPU_TIME];
	struct words to = {""};

	if (!s->states || !diff_is_changed(&s->verdict))
		return to;
	numbers_append(&to, cpu ? "elapsed time: " : "CPU time: ");
	if (f->status == DIFF_SAME)
		numbers_append(&to, "no significant change");
	else
		finding_words(d, s, f, &to);
	return to;
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void verdict_words(const struct diff *d, struct words *to)
{
	uint32_t changed = d->slower + d->faster, compared = changed + d->same;
	const char *row = d->samples ? "function" : "site";
	/* names come and go with a few samples */
	uint32_t gone = d->samples ? d->gone : d->only_base;
	uint32_t came = d->samples ? d->came : d->only_new;

	if (!compared && d->untested)
		numbers_append(to,
			       "nothing could be compared: the %s%s%s that both have %s too little",
			       d->untested == 1 ? "one " : "", row, plural(d->untested),
			       d->untested == 1 ? "says" : "say");
	else if (!compared)
		numbers_append(to, "nothing could be compared: no %s is in both", row);
	else if (!changed)
		numbers_append(to, "no significant change at %" PRIu32 " %s%s", compared, row,
			       plural(compared));
	else
		numbers_append(to,
			       "%" PRIu32 " of %" PRIu32 " %s%s changed: %" PRIu32
			       " slower, %" PRIu32 " faster",
			       changed, compared, row, plural(compared), d->slower, d->faster);
	if (d->untested && compared)
		numbers_append(to, "; %" PRIu32 " more cannot be determined", d->untested);
	if (gone + came)
		numbers_append(to, "; %" PRIu32 " only in base, %" PRIu32 " only in new", gone,
			       came);
	if (d->more + d->fewer)
		numbers_append(to, "; at %" PRIu32 " site%s calls for each %.60s changed",
			       d->more + d->fewer, plural(d->more + d->fewer), d->options.per);
}

struct words diff_words_verdict(const struct diff *d)
{
	struct words to = {""};

	if (d->sites || !d->computing)
		verdict_words(d, &to);
	else
		numbers_append(&to, "no call was recorded");
	if (!d->computing)
		return to;
	numbers_append(&to, ". Computing: ");
	verdict_words(d->computing, &to);
	return to;
}

/* The best of the tests that saw nothing. */
struct words diff_words_power(const struct diff *d)
{
	double least = INFINITY;
	struct words to = {""};

	for (uint32_t i = 0; i < d->sites; i++) {
		const struct diff_finding *f = &d->site[i].verdict;

		if (f->status <= DIFF_SAME)
			least = fmin(least, f->shown.detectable);
		if (diff_is_changed(f)) /* which was seen, by luck */
			least = fmin(least, fmax(f->shown.ratio, 1 / f->shown.ratio));
	}
	if (!(least > TELLING))
		return to;
	numbers_append(&to, "%s and %s samples a run are few: ",
		       numbered_digits(d->side[DIFF_BASE].calls, 3).text,
		       numbered_digits(d->side[DIFF_NEW].calls, 3).text);
	if (!isfinite(least))
		numbers_append(&to, "no change of a function that both have");
	else if (least >= FACTOR)
		numbers_append(&to, "no change of a function by less than a factor of %s",
			       numbered_digits(least, 2).text);
	else
		numbers_append(&to, "no change of a function by less than %.0f %%",
			       100 * (least - 1));
	numbers_append(
		&to, " would have been seen. Longer runs, more of them, or --sample 1ms tell more");
	return to;
}

/* "2 sites gone: sendfile64 (120,000 calls), write (120,000 calls)" of those that count. */
static void list_sides(const struct diff *d, enum diff_status status, struct words *to)
{
	bool gone = status == DIFF_ONLY_BASE;
	uint32_t named = 0, count = gone ? d->gone : d->came;

	if (!count)
		return;
	numbers_append(to, "%s%" PRIu32 " site%s %s: ", *to->text ? "; " : "", count, plural(count),
		       gone ? "gone" : "new");
	for (uint32_t i = 0; i < d->sites && named < SIDES_NAMED; i++) {
		const struct diff_site *s = &d->site[i];
		uint64_t calls = (uint64_t)llround(s->side[gone ? DIFF_BASE : DIFF_NEW].calls);

		if (!s->counts || s->verdict.status != status)
			continue;
		numbers_append(to, "%s%.60s (%s call%s)", named++ ? ", " : "", s->symbol,
			       numbered_count(calls).text, calls == 1 ? "" : "s");
	}
	if (named < count)
		numbers_append(to, ", and %" PRIu32 " more", count - named);
}

struct words diff_words_sides(const struct diff *d)
{
	struct words to = {""};

	list_sides(d, DIFF_ONLY_BASE, &to);
	list_sides(d, DIFF_ONLY_NEW, &to);
	return to;
}

struct words diff_words_per(const struct diff *d, bool utf8)
{
	const struct diff_side *base = &d->per.side[DIFF_BASE], *new = &d->per.side[DIFF_NEW];
	const struct diff_test *t = &d->per.time;
	double unit = diff_words_unit(t);
	struct words to = {""};

	if (!d->per.symbol)
		return to;
	numbers_append(&to, "for each %.60s: %s calls, then %s; %s in calls that work, then %s",
		       d->options.per, numbered_digits(base->calls, 4).text,
		       numbered_digits(new->calls, 4).text, numbered_duration(base->ns, utf8).text,
		       numbered_duration(new->ns, utf8).text);
	if (isfinite(t->low))
		numbers_append(&to, " (%s ... %s)", diff_words_percent(t->low, unit).text,
			       diff_words_percent(t->high, unit).text);
	return to;
}

struct words diff_words_common(const struct diff *d, enum diff_quantity of, bool waiting)
{
	const struct diff_common *c = &d->common[of][waiting];
	const char *kind = waiting ? "sites that wait" : "sites that work";
	const char *what = !d->common[DIFF_CPU_TIME][waiting].sites ? ""
			   : of == DIFF_CPU_TIME		    ? " in CPU time"
								    : " in elapsed time";
	struct diff_test t = {.ratio = c->ratio, .low = c->low, .high = c->high};
	struct words to = {""};

	if (c->sites && c->low <= 1 && c->high >= 1)
		numbers_append(&to, "the %" PRIu32 " %s share no change%s (%+.1f ... %+.1f %%)",
			       c->sites, kind, what, numbers_tidy(100 * (c->low - 1), 1),
			       numbers_tidy(100 * (c->high - 1), 1));
	else if (c->sites)
		numbers_append(&to, "the %" PRIu32 " %s together are %s %s%s", c->sites, kind,
			       c->ratio > 1 ? "slower" : "faster", by_how_much(&t).text, what);
	return to;
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
