// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/causal/causal_private.h"

#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/wording/utf8.h"
#include "stats/numerics/distributions.h"
#include "profile/base/array.h"

#define SURE	 0.05 /* highest q of a slope that counts as different from 0 */
#define EXCLUDED 2.0  /* percent: what brings no more than this is no way to go faster */

struct causal_limits causal_report_limits(const struct slopes_value *v, double scale)
{
	double t = distributions_t_quantile((1 + CAUSAL_CONFIDENCE) / 2, v->freedom);
	double half = t * v->error;

	return (struct causal_limits){scale * v->value, scale * (v->value - half),
				      scale * (v->value + half)};
}

void causal_report_frame(const struct causal_report *r, const struct prof_frame *frame, char *text,
			 size_t size)
{
	size_t count;
	const struct symbol *s = frame_symbols_find(r->sites->report, frame, &count);

	if (s->brief && s->line)
		snprintf(text, size, "%s:%d", s->brief, s->line);
	else if (s->brief)
		snprintf(text, size, "%s", s->brief);
	else if (s->file && s->line)
		snprintf(text, size, "%s:%d", base_name(s->file), s->line);
	else
		snprintf(text, size, "%s+0x%llx", s->module ? s->module_name : "code",
			 (unsigned long long)s->offset);
}

/* "SSL_write at handle:88 < serve:12", with so many frames. */
static char *label_of(const struct causal_report *r, const struct causal_row *row, uint32_t frames)
{
	const struct report_site *s = row->found.row;
	/* the interpreter's own frames name nobody's code */
	uint32_t first = s ? path_site_find(s->frame, s->frames) : 0;
	char text[2048], frame[600];
	size_t at = (size_t)snprintf(text, sizeof(text), "%.500s",
				     row->function ? row->function : "a function without a name");

	for (uint32_t i = 0; s && i < frames && first + i < s->frames && at < sizeof(text); i++) {
		causal_report_frame(r, &s->frame[first + i], frame, sizeof(frame));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? " < " : " at ",
				       frame);
	}
	return utf8_clean(text, true);
}

#define LABEL_FRAMES 6

static bool is_alone(const struct causal_report *r, size_t i)
{
	for (size_t k = 0; k < r->rows; k++)
		if (k != i && !strcmp(r->row[k].label, r->row[i].label))
			return false;
	return true;
}

/* As many frames as make the labels differ. */
static int make_labels(struct causal_report *r)
{
	for (size_t i = 0; i < r->rows; i++)
		if (!(r->row[i].label = label_of(r, &r->row[i], 1)))
			return -1;
	for (uint32_t frames = 2; frames <= LABEL_FRAMES; frames++)
		for (size_t i = 0; i < r->rows; i++) {
			char *label = is_alone(r, i) ? NULL : label_of(r, &r->row[i], frames);

			if (!label)
				continue;
			free(r->row[i].label);
			r->row[i].label = label;
		}
	return 0;
}

static struct slopes_prediction predict(const struct causal_result *c, const struct causal_row *row,
					double share)
{
	return slopes_predict(&c->slopes, &row->site->slopes, row->found.mean, share,
			      CAUSAL_CONFIDENCE);
}

void causal_report_predict(const struct causal_result *c, struct causal_row *row)
{
	const struct slopes_site *s = &row->site->slopes;

	if (row->found.mean.value < 0) /* what is left without its waits */
		row->found.mean.value = 0;
	if (!row->told || isnan(row->found.mean.value))
		return;
	struct slopes_prediction removed = predict(c, row, 1);
	row->ten = predict(c, row, 0.1);
	row->thirty = predict(c, row, 0.3);
	/* no line is followed so far that bends, may be flat, or ends at another thread, nor a mean
	 * that is hardly known */
	if (s->shape == SLOPES_STRAIGHT && s->q <= SURE && !removed.at_most &&
	    (row->ten.low > 0 || row->ten.high < 0) && removed.percent <= CAUSAL_LARGEST)
		row->removed = removed;
}

static void fill_row(struct causal_report *r, struct causal_row *row,
		     const struct causal_result_site *site, enum scp_causal_by by)
{
	const struct slopes_prediction none = CAUSAL_UNPREDICTED;

	*row = (struct causal_row){.site = site,
				   .calls_unit = site->calls_unit,
				   .ten = none,
				   .thirty = none,
				   .removed = none};
	row->found = (struct causal_found){.mean = {NAN, NAN, NAN}, .busy = NAN};
	if (r->sites)
		row->found = causal_sites_find(r->sites, by, &site->candidate.site);
	if (row->found.function)
		row->function = strdup(row->found.function);
	row->told = site->slopes.known && isfinite(site->slopes.slope.error);
	row->kappa = (struct causal_limits){NAN, NAN, NAN};
	if (row->told && site->calls_unit > 0)
		row->kappa = causal_report_limits(&site->slopes.slope, 1 / site->calls_unit);
	causal_report_predict(r->result, row);
}

/* The last site of the unit's own function, of `*count`. NULL: there is none. */
static struct causal_row *find_unit(const struct causal_report *r, size_t *count)
{
	struct causal_row *own = NULL;
	size_t length = strcspn(r->progress, "@");

	*count = 0;
	for (size_t i = 0; i < r->rows; i++)
		if (r->row[i].function && strlen(r->row[i].function) == length &&
		    !strncmp(r->row[i].function, r->progress, length)) {
			own = &r->row[i];
			++*count;
		}
	return own;
}

/* Calls that would have blocked are no units: 1.05 calls a unit are no news of the unit itself. */
void causal_report_count_unit(struct causal_report *r)
{
	size_t count;
	struct causal_row *own = find_unit(r, &count);

	if (count == 1)
		own->calls_unit = 1;
}

static double rank(const struct causal_row *row)
{
	return !row->told ? -INFINITY : isnan(row->ten.percent) ? -1e9 : row->ten.percent;
}

ARRAY_COMPARE(compare_rows, struct causal_row, ARRAY_ORDER(rank(b), rank(a)))

int causal_report_make(struct causal_report *r, const char *progress,
		       const struct causal_result *result, struct causal_sites *sites,
		       enum scp_causal_by by, bool none_matched)
{
	*r = (struct causal_report){.progress = progress,
				    .result = result,
				    .sites = sites && sites->report ? sites : NULL,
				    .row = calloc(result->sites + 1, sizeof(*r->row))};
	if (!r->row)
		return -1;
	for (; r->rows < result->sites; r->rows++)
		fill_row(r, &r->row[r->rows], &result->site[r->rows], by);
	if (make_labels(r))
		return -1;
	causal_report_count_unit(r);
	ARRAY_SORT(r->row, r->rows, compare_rows);
	causal_report_warn(r, none_matched);
	return 0;
}

void causal_report_free(struct causal_report *r)
{
	for (size_t i = 0; i < r->rows; i++)
		PROF_FREE(&r->row[i], label, function);
	free(r->row);
	report_free(r->computing);
	*r = (struct causal_report){0};
}

/* Why faster may bring something else than slower cost. */
static void note_shape(const struct causal_report *r, const struct causal_row *row,
		       struct words *to)
{
	const struct slopes_site *s = &row->site->slopes;
	const char *bound = row->ten.at_most	? ", and faster brings at most this"
			    : row->ten.at_least ? ", and faster brings at least this"
						: "";

	if (s->slope.value < 0 && s->q <= SURE)
		numbers_append(
			to,
			"the program was faster with longer calls here, as where more work comes "
			"together meanwhile");
	else if (s->shape == SLOPES_CONVEX)
		numbers_append(to, "longer delays cost more each: faster brings at most this");
	else if (s->shape == SLOPES_CONCAVE && row->ten.at_least)
		numbers_append(to, "longer delays cost less each: faster brings at least this");
	else if (s->shape == SLOPES_CONDITIONAL)
		numbers_append(to, "depends on %.200s: a balance%s",
			       causal_report_name(r, s->interacts), bound);
	else if (row->ten.hidden)
		numbers_append(
			to, "something else hides it most of the time: faster brings at most this");
	else if (row->ten.thread_near)
		numbers_append(to, "another thread is nearly as busy: faster brings at most this");
	else if (row->thirty.thread_near)
		numbers_append(
			to, "with 30 %% off another thread would be nearly as busy: at most that");
}

struct words causal_report_note(const struct causal_report *r, const struct causal_row *row)
{
	struct words note = {""};

	if (!row->told)
		numbers_append(&note, "not told: too few calls in too few windows");
	else if (isnan(row->found.mean.value) && row->found.row)
		numbers_append(&note,
			       "not predicted: it waits for others, and no CPU time is known");
	else if (isnan(row->found.mean.value))
		numbers_append(&note, "not predicted: the profile does not know its mean");
	else
		note_shape(r, row, &note);
	return note;
}

const char *causal_report_untold(const struct causal_result *c)
{
	return c->left_out ? "no window tells of delays" : "nothing was delayed";
}

struct words causal_report_verdict(const struct causal_report *r)
{
	struct words said = {""};
	double most = NAN;
	bool any = false;
	char to[32];

	for (const struct causal_row *row = r->row; row < r->row + r->rows; row++) {
		if (row->told && row->site->slopes.q <= SURE)
			return said;
		any |= row->told;
		most = fmax(most, row->ten.high);
	}
	snprintf(to, sizeof(to), most <= CAUSAL_LARGEST ? "+%s %%" : "any height",
		 numbered_digits(most, 2).text);
	if (any && most <= EXCLUDED)
		numbers_append(
			&said,
			"No site is certain to have an effect (q > %.2g). 10 %% off all calls of "
			"any one of them brings %.2g %% at most: what holds it up is elsewhere",
			SURE, fmax(most, 0));
	else if (any)
		numbers_append(
			&said,
			"No site is certain to have an effect (q > %.2g), nor can one be excluded: "
			"the widest interval reaches to %s. Let it run longer, such as --until 2%%",
			SURE, to);
	return said;
}

struct words causal_report_unit(const struct causal_report *r, bool utf8)
{
	const struct slopes_value *latency = &r->result->slopes.latency;
	struct words said = {""};
	size_t count;
	const struct causal_row *row = find_unit(r, &count);

	if (!(latency->value > 0)) /* delays are taken off: too little may be left to tell */
		return said;
	numbers_append(&said, "A %s takes %s from its begin to its end", r->progress,
		       numbered_duration(1e9 * latency->value, utf8).text);
	if (!row || row->found.basis != CAUSAL_BASIS_CPU || isnan(row->found.mean.value))
		return said;
	numbers_append(&said,
		       "; waiting for others or for a CPU is in that, and not in its MEAN%s%s",
		       count == 1 ? ", " : "",
		       count == 1 ? numbered_duration(1e9 * row->found.mean.value, utf8).text : "");
	return said;
}

struct causal_text causal_report_percent(double value, double low, double high)
{
	double width = high - low;
	int digits = !(width > 0) || width >= 20 ? 0 : width >= 0.2 ? 1 : width >= 0.02 ? 2 : 3;
	struct causal_text t = {"-"};
	char most[24] = "more";

	if (high <= CAUSAL_LARGEST)
		snprintf(most, sizeof(most), "%.*f", digits, numbers_tidy(high, digits));
	if (low < -CAUSAL_LARGEST && high > CAUSAL_LARGEST)
		snprintf(t.text, sizeof(t.text), "anything");
	else if (value > CAUSAL_LARGEST)
		snprintf(t.text, sizeof(t.text), "over +%.0f %%", CAUSAL_LARGEST);
	else if (!isnan(value) && (isnan(low) || isnan(high)))
		snprintf(t.text, sizeof(t.text), "%+.1f %% [not known]", numbers_tidy(value, 1));
	else if (!isnan(value))
		snprintf(t.text, sizeof(t.text), "%+.*f %% [%.*f, %s]", digits,
			 numbers_tidy(value, digits), digits, numbers_tidy(low, digits), most);
	return t;
}

struct causal_text causal_report_prediction(const struct slopes_prediction *p)
{
	return causal_report_percent(p->percent, p->low, p->high);
}

struct causal_text causal_report_limited(const struct causal_limits *l)
{
	return causal_report_percent(l->value, l->low, l->high);
}

const char *causal_report_bound(const struct slopes_prediction *p)
{
	return isnan(p->percent) ? "" : p->at_most ? "at most " : p->at_least ? "at least " : "";
}
