// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/causal/causal_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/wording/utf8.h"
#include "report/wording/numbers.h"
#include "stats/numerics/distributions.h"

struct causal_limits causal_report_limits(const struct slopes_value *v, double scale)
{
	double t = distributions_t_quantile((1 + CAUSAL_CONFIDENCE) / 2, v->freedom);
	double half = t * v->error;

	return (struct causal_limits){scale * v->value, scale * (v->value - half),
				      scale * (v->value + half)};
}

__attribute__((format(printf, 3, 4))) static void warn(struct causal_report *r, const char *code,
						       const char *format, ...)
{
	struct causal_warning *w = &r->warning[r->warnings];
	va_list args;

	if (r->warnings == sizeof(r->warning) / sizeof(*r->warning))
		return;
	va_start(args, format);
	vsnprintf(w->text, sizeof(w->text), format, args);
	va_end(args);
	w->code = code;
	r->warnings++;
}

static void warn_of_progress(struct causal_report *r)
{
	char most[400] = "";

	if (r->sites)
		causal_sites_most(r->sites, most, sizeof(most));
	if (*most)
		warn(r, "no-progress", "%s never completed. Most often these did: %s", r->progress,
		     most);
	else
		warn(r, "no-progress",
		     "%s never completed, nor did any other function that is recorded: see -g, -s",
		     r->progress);
}

static void warn_of_length(struct causal_report *r)
{
	const struct causal_result *c = r->result;

	if (c->problems & CAUSAL_TOO_SHORT && c->slopes.windows)
		warn(r, "too-short",
		     "only %zu windows of %.3g s were had, and fewer than %d tell nothing. Let it "
		     "run longer, or give a shorter --window",
		     c->slopes.windows, c->window_s, SLOPES_WINDOWS);
	else if (c->problems & CAUSAL_TOO_SHORT && !r->warnings)
		warn(r, "too-short",
		     "it ended before the experiment began. Let it run longer: 10 s at the least");
	if (c->problems & CAUSAL_SITES_LEFT_OUT)
		warn(r, "sites-left-out",
		     "there are more sites than can be told apart in this time. Those that take "
		     "most "
		     "were delayed. Name others by --at, or run longer with --sites");
	if (c->problems & CAUSAL_LATE)
		warn(r, "late-windows",
		     "windows began late: the machine is busy. Intervals are wider for it; leave "
		     "the tool a CPU");
	if (c->problems & CAUSAL_SKIPPED)
		warn(r, "skipped-delays",
		     "more than 1 %% of the delays were not made: limits, handlers, nested calls. "
		     "Effects count only those that were; a lower --slowdown skips fewer");
}

static void warn_of_effects(struct causal_report *r)
{
	const struct causal_result *c = r->result;

	if (c->problems & CAUSAL_SLOWER_THAN_ASKED)
		warn(r, "slower-than-asked",
		     "all delays together cost %.2g %%, more than the %.2g %% asked for. Give a "
		     "lower --slowdown where that matters",
		     100 * c->slopes.slowdown.value, 100 * c->asked);
	if (c->problems & CAUSAL_CARRIED)
		warn(r, "carried-over",
		     "effects outlast a window of %.3g s: queues drain later. What the next window "
		     "shows is added; a longer --window makes intervals narrower",
		     c->window_s);
}

static void collect_warnings(struct causal_report *r, bool none_matched)
{
	unsigned problems = r->result->problems;

	if (problems & CAUSAL_NO_PROGRESS)
		warn_of_progress(r);
	if (none_matched)
		warn(r, "no-such-site",
		     "no call was seen at the sites of --at. Without --at all sites are shown");
	else if (problems & CAUSAL_NO_SITES)
		warn(r, "no-sites",
		     "no other calls were seen to delay. Record more: -g all, -s, or regions");
	warn_of_length(r);
	warn_of_effects(r);
}

/* "handle:88", "app.c:88", "libfoo.so+0x12" */
static void frame_text(const struct causal_report *r, const struct prof_frame *frame, char *text,
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
		snprintf(text, size, "%s+0x%llx", s->module ? base_name(s->module) : "code",
			 (unsigned long long)s->offset);
}

/* "SSL_write at handle:88 < serve:12", with so many frames. */
static char *label_of(const struct causal_report *r, const struct causal_row *row, uint32_t frames)
{
	const struct report_site *s = row->found.row;
	char text[2048], frame[600];
	size_t at = (size_t)snprintf(text, sizeof(text), "%.500s",
				     row->function ? row->function : "a function without a name");

	for (uint32_t i = 0; s && i < frames && i < s->frames && at < sizeof(text); i++) {
		frame_text(r, &s->frame[i], frame, sizeof(frame));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? " < " : " at ",
				       frame);
	}
	return utf8_clean(text, true);
}

#define LABEL_FRAMES 6
#define LARGEST	     1000.0 /* percent: beyond, figures mean nothing */

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

static void fill_row(struct causal_report *r, struct causal_row *row,
		     const struct causal_result_site *site, enum scp_causal_by by)
{
	const struct slopes_prediction none = {.percent = NAN,
					       .low = NAN,
					       .high = NAN,
					       .latency_percent = NAN,
					       .latency_low = NAN,
					       .latency_high = NAN};

	*row = (struct causal_row){.site = site, .ten = none, .thirty = none};
	row->found = (struct causal_found){.mean = {NAN, NAN, NAN}, .busy = NAN};
	if (r->sites)
		row->found = causal_sites_find(r->sites, by, &site->candidate.site);
	if (row->found.function)
		row->function = strdup(row->found.function);
	row->told = site->slopes.known && isfinite(site->slopes.slope.error);
	row->kappa = (struct causal_limits){NAN, NAN, NAN};
	if (!row->told)
		return;
	if (site->calls_unit > 0)
		row->kappa = causal_report_limits(&site->slopes.slope, 1 / site->calls_unit);
	if (isnan(row->found.mean.value))
		return;
	row->ten = slopes_predict(&r->result->slopes, &site->slopes, row->found.mean, 0.1,
				  CAUSAL_CONFIDENCE);
	row->thirty = slopes_predict(&r->result->slopes, &site->slopes, row->found.mean, 0.3,
				     CAUSAL_CONFIDENCE);
}

static double rank(const struct causal_row *row)
{
	return !row->told ? -INFINITY : isnan(row->ten.percent) ? -1e9 : row->ten.percent;
}

static int compare_rows(const void *a, const void *b)
{
	double x = rank(a), y = rank(b);

	return (x < y) - (x > y);
}

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
	qsort(r->row, r->rows, sizeof(*r->row), compare_rows);
	collect_warnings(r, none_matched);
	return 0;
}

void causal_report_free(struct causal_report *r)
{
	for (size_t i = 0; i < r->rows; i++) {
		free(r->row[i].label);
		free(r->row[i].function);
	}
	free(r->row);
	*r = (struct causal_report){0};
}

const char *causal_report_shape(enum slopes_shape shape)
{
	static const char *const names[] = {"straight", "convex", "concave", "conditional"};

	return names[shape];
}

static const char *name_of(const struct causal_report *r, size_t site)
{
	for (size_t i = 0; i < r->rows; i++)
		if (site < r->result->sites && r->row[i].site == &r->result->site[site])
			return r->row[i].label;
	return "another site";
}

/* Why faster may bring something else than slower cost. */
static void note_shape(const struct causal_report *r, const struct causal_row *row, char *text,
		       size_t size)
{
	const struct slopes_site *s = &row->site->slopes;
	const char *bound = row->ten.at_most ? "most" : "least";

	if (s->slope.value < 0 && s->q <= 0.05)
		snprintf(text, size,
			 "the program was faster with longer calls here, as where more work comes "
			 "together meanwhile");
	else if (s->shape == SLOPES_CONVEX)
		snprintf(text, size, "longer delays cost more each: faster brings at most this");
	else if (s->shape == SLOPES_CONCAVE)
		snprintf(text, size, "longer delays cost less each: faster brings at least this");
	else if (s->shape == SLOPES_CONDITIONAL)
		snprintf(text, size, "depends on %.200s: a balance, and faster brings at %s this",
			 name_of(r, s->interacts), bound);
	else if (row->ten.hidden)
		snprintf(text, size,
			 "something else hides it most of the time: faster brings at most this");
	else if (row->ten.thread_near)
		snprintf(text, size,
			 "another thread is nearly as busy: faster brings at most this");
	else if (row->thirty.thread_near)
		snprintf(text, size,
			 "with 30 %% off another thread would be nearly as busy: at most that");
}

void causal_report_note(const struct causal_report *r, const struct causal_row *row, char *text,
			size_t size)
{
	*text = '\0';
	if (!row->told)
		snprintf(text, size, "not told: too few calls in too few windows");
	else if (isnan(row->found.mean.value) && row->found.row)
		snprintf(text, size,
			 "not predicted: it waits for others, and no CPU time is known");
	else if (isnan(row->found.mean.value))
		snprintf(text, size, "not predicted: the profile does not know its mean");
	else
		note_shape(r, row, text, size);
}

void causal_report_percent(char *text, size_t size, double value, double low, double high)
{
	double width = high - low;
	int digits = !(width > 0) || width >= 20 ? 0 : width >= 0.2 ? 1 : width >= 0.02 ? 2 : 3;
	char most[24];

	if (isnan(value)) {
		snprintf(text, size, "-");
		return;
	}
	if (value > LARGEST) {
		snprintf(text, size, "over +%.0f %%", LARGEST);
		return;
	}
	if (high > LARGEST)
		snprintf(most, sizeof(most), "more");
	else
		snprintf(most, sizeof(most), "%.*f", digits, numbers_tidy(high, digits));
	if (isnan(low) || isnan(high))
		snprintf(text, size, "%+.1f %% [not known]", numbers_tidy(value, 1));
	else
		snprintf(text, size, "%+.*f %% [%.*f, %s]", digits, numbers_tidy(value, digits),
			 digits, numbers_tidy(low, digits), most);
}

void causal_report_prediction(char *text, size_t size, const struct slopes_prediction *p)
{
	causal_report_percent(text, size, p->percent, p->low, p->high);
}

void causal_report_latency(char *text, size_t size, const struct slopes_prediction *p)
{
	causal_report_percent(text, size, -p->latency_percent, -p->latency_high, -p->latency_low);
}

void causal_report_limited(char *text, size_t size, const struct causal_limits *l)
{
	causal_report_percent(text, size, l->value, l->low, l->high);
}

void causal_report_changed(char *text, size_t size, const struct causal_confirmed *c)
{
	const struct causal_limits *m = &c->measured;

	causal_report_percent(text, size, -100 * m->value, -100 * m->high, -100 * m->low);
}

const char *causal_report_bound(const struct slopes_prediction *p)
{
	return isnan(p->percent) ? "" : p->at_most ? "at most " : p->at_least ? "at least " : "";
}
