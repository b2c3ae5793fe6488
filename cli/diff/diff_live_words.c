// SPDX-License-Identifier: GPL-3.0-or-later
/* What the verdict is called, and the exit status that goes with it. */
#include "cli/diff/diff_live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"

static double percent(double ratio)
{
	return 100 * fabs(ratio - 1);
}

/* With a digit more where it is below 1 %. */
static void put_range(char *text, size_t room, double low, double high)
{
	double near = fmin(percent(low), percent(high)), far = fmax(percent(low), percent(high));
	int decimals = far < 1 ? 2 : far < 100 ? 1 : 0;

	snprintf(text, room, "%.*f to %.*f %%", decimals, near, decimals, far);
}

static const char *quantity(const struct diff_watch_row *r)
{
	if (diff_estimate_quantity(r->view) == DIFF_CPU_TIME)
		return "CPU time";
	return diff_watch_main_view(r) == DIFF_MEAN && r->symbol ? "time" : "elapsed time";
}

static void found_words(const struct diff_watch_row *r, char *text, size_t room)
{
	bool calm = r->view == DIFF_UNDISTURBED || r->view == DIFF_UNSWITCHED_UNDISTURBED;
	char range[64];

	put_range(range, sizeof(range), r->low, r->high);
	snprintf(text, room, "%s %s by %s%s%s", quantity(r), r->ratio > 1 ? "slower" : "faster",
		 range, calm ? ", where undisturbed" : "",
		 r->against == DIFF_OWN ? ", against the other sites" : "");
}

void diff_live_row_words(const struct diff_live *l, const struct diff_watch_row *r, char *text,
			 size_t room)
{
	if (r->found)
		found_words(r, text, room);
	else if (!isfinite(r->high))
		snprintf(text, room, "too few runs to say");
	else if (r->equal)
		snprintf(text, room, "%s equal within %.4g %%", quantity(r), 100 * l->watch.equal);
	else
		snprintf(text, room, "no change of %s seen; %+.1f to %+.1f %%", quantity(r),
			 100 * (r->low - 1), 100 * (r->high - 1));
}

int diff_live_status(const struct diff_live *l)
{
	if (l->end == DIFF_LIVE_FAILED || !l->watch.known)
		return 2;
	return l->watch.found ? 1 : 0;
}

static const struct diff_watch_row *most_evidence(const struct diff_watch *w)
{
	const struct diff_watch_row *most = NULL;

	for (uint32_t i = 0; i < w->rows; i++)
		if (w->row[i].found && (!most || w->row[i].e > most->e))
			most = &w->row[i];
	return most;
}

static void changed_words(const struct diff_live *l, char *text, size_t room)
{
	const struct diff_watch_row *r = most_evidence(&l->watch);
	char words[DIFF_WORDS], name[400], *clean;
	uint32_t more = l->watch.found - 1;

	if (r->symbol)
		snprintf(name, sizeof(name), "%.200s%s%.200s", r->symbol, r->frames ? " in " : "",
			 r->frames ? r->frame[0] : "");
	else
		snprintf(name, sizeof(name), "the whole run");
	clean = utf8_clean(name, false);
	diff_live_row_words(l, r, words, sizeof(words));
	snprintf(text, room, "%.260s: %s", clean ? clean : "", words);
	free(clean);
	if (more) {
		size_t used = strlen(text);

		snprintf(text + used, room - used, "; %u more changed", more);
	}
}

void diff_live_words(const struct diff_live *l, char *text, size_t room)
{
	const struct diff_watch *w = &l->watch;

	if (w->found)
		changed_words(l, text, room);
	else if (w->all_equal)
		snprintf(text, room,
			 "equal within %.4g %%: the whole run, and each site of %.4g %% of the "
			 "time or more",
			 100 * w->equal, 100 * DIFF_WATCH_WORTH);
	else if (w->known)
		snprintf(text, room, "no change seen, and not sure to be equal");
	else
		snprintf(text, room, "too few runs to say anything");
}
