// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof causal --format html`: one page that needs no script, no network and no other file. */

#include <stdlib.h>
#include <string.h>

#include "cli/causal/causal_private.h"
#include "report/render/html/html_write.h"
#include "report/render/text/text.h"
#include "report/wording/utf8.h"

HTML_PAGE(causal_page);

/* Of a chart, in its own units. */
#define WIDTH  250.0
#define HEIGHT 154.0
#define LEFT   8.0
#define RIGHT  242.0
#define TOP    18.0
#define BOTTOM 124.0

/* A text that others may have chosen, between two that are markup. */
static void put_text(FILE *out, const char *before, const char *raw, const char *after)
{
	char *safe = utf8_clean(raw ? raw : "-", true);

	fputs(before, out);
	if (safe)
		utf8_write_markup(out, safe);
	fputs(after, out);
	free(safe);
}

struct chart {
	double x[SLOPES_LEVELS];
	struct causal_limits y[SLOPES_LEVELS]; /* seconds a unit */
	double longest, low, high;
	struct causal_limits slope;
	double base;
};

static void include(struct chart *c, double value)
{
	if (!isfinite(value))
		return;
	c->low = fmin(c->low, value);
	c->high = fmax(c->high, value);
}

/* False: there is nothing to draw. */
static bool chart_make(struct chart *c, const struct causal_report *r, const struct causal_row *row)
{
	const struct causal_result_site *s = row->site;

	*c = (struct chart){.x = {0, s->delay_low, s->delay_high},
			    .low = INFINITY,
			    .high = -INFINITY,
			    .slope = causal_report_limits(&s->slopes.slope, 1),
			    .base = s->level[0].value};
	if (!isfinite(c->base))
		c->base = r->result->slopes.unit.value;
	for (int i = 0; i < SLOPES_LEVELS; i++) {
		c->y[i] = causal_report_limits(&s->level[i], 1);
		c->longest = fmax(c->longest, c->x[i]);
		include(c, c->y[i].value);
		include(c, c->y[i].low);
		include(c, c->y[i].high);
	}
	if (!row->told || !(c->longest > 0) || !isfinite(c->base))
		return false;
	include(c, c->base + c->slope.low * c->longest);
	include(c, c->base + c->slope.high * c->longest);
	double room = fmax((c->high - c->low) * 0.06, c->base * 1e-6);
	c->low -= room;
	c->high += room;
	return isfinite(c->low) && c->high > c->low;
}

static double at_x(const struct chart *c, double x)
{
	return LEFT + 12 + (RIGHT - LEFT - 26) * x / c->longest;
}

static double at_y(const struct chart *c, double y)
{
	return BOTTOM - (BOTTOM - TOP) * (y - c->low) / (c->high - c->low);
}

static void put_line(FILE *out, const char *class, double x1, double y1, double x2, double y2)
{
	fprintf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", class,
		x1, y1, x2, y2);
}

static void put_points(FILE *out, const struct chart *c)
{
	for (int i = 0; i < SLOPES_LEVELS; i++) {
		double x = at_x(c, c->x[i]);

		if (!isfinite(c->y[i].value))
			continue;
		if (isfinite(c->y[i].low) && isfinite(c->y[i].high)) {
			double low = at_y(c, c->y[i].low), high = at_y(c, c->y[i].high);

			put_line(out, "whisker", x, low, x, high);
			put_line(out, "whisker", x - 4, low, x + 4, low);
			put_line(out, "whisker", x - 4, high, x + 4, high);
		}
		fprintf(out, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"/>", x,
			at_y(c, c->y[i].value));
	}
}

static void put_labels(FILE *out, const struct chart *c)
{
	fprintf(out, "<text class=\"label\" x=\"%.0f\" y=\"%.0f\">time a unit, from %s</text>",
		LEFT, TOP - 7, numbered_duration(1e9 * c->base, true).text);
	for (int i = 0; i < SLOPES_LEVELS; i++) {
		if (i && !(c->x[i] > 0))
			continue;
		fprintf(out,
			"<text class=\"label\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.0f\">%s</text>",
			i == SLOPES_LEVELS - 1 ? "end"
			: i		       ? "middle"
					       : "start",
			at_x(c, c->x[i]) + (i == SLOPES_LEVELS - 1 ? 12
					    : i			   ? 0
								   : -8),
			BOTTOM + 14, i ? numbered_duration(1e9 * c->x[i], true).text : "0");
	}
	fprintf(out,
		"<text class=\"label\" text-anchor=\"middle\" x=\"%.0f\" y=\"%.0f\">"
		"delay of a call</text>",
		WIDTH / 2, HEIGHT - 4);
}

static void put_chart(FILE *out, const struct causal_report *r, const struct causal_row *row)
{
	struct chart c;

	if (!chart_make(&c, r, row))
		return;
	double x0 = at_x(&c, 0);
	double x1 = at_x(&c, c.longest);
	double low = at_y(&c, c.base + c.slope.low * c.longest);
	double high = at_y(&c, c.base + c.slope.high * c.longest);
	fprintf(out,
		"<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"time a unit against "
		"delay\">",
		WIDTH, HEIGHT);
	put_line(out, "axis", LEFT, BOTTOM, RIGHT, BOTTOM);
	if (isfinite(low) && isfinite(high))
		fprintf(out, "<polygon class=\"band\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>",
			x0, at_y(&c, c.base), x1, low, x1, high);
	put_line(out, "fit", x0, at_y(&c, c.base), x1,
		 at_y(&c, c.base + c.slope.value * c.longest));
	put_points(out, &c);
	put_labels(out, &c);
	fputs("</svg>\n", out);
}

static void put_fact(FILE *out, const char *name, const char *value)
{
	fprintf(out, "<dt>%s</dt>", name);
	put_text(out, "<dd>", value, "</dd>");
}

static void put_facts(FILE *out, const struct causal_row *row)
{
	char text[96];

	fputs("<dl>", out);
	put_fact(out, "calls a unit", numbered_digits(row->calls_unit, 3).text);
	put_fact(out, "mean", numbered_duration(1e9 * row->found.mean.value, true).text);
	if (row->told && isfinite(row->kappa.low)) {
		snprintf(text, sizeof(text), "%.2f ns [%.2f, %.2f]", row->kappa.value,
			 row->kappa.low, row->kappa.high);
		put_fact(out, "1 ns a call costs", text);
	}
	if (row->told && isfinite(row->thirty.percent))
		put_fact(out,
			 row->thirty.at_most	? "30 % off brings at most"
			 : row->thirty.at_least ? "30 % off brings at least"
						: "30 % off brings",
			 causal_report_prediction(&row->thirty).text);
	if (isfinite(row->removed.percent))
		put_fact(out, "without it", causal_report_prediction(&row->removed).text);
	if (row->told && isfinite(row->ten.latency_percent))
		put_fact(out, "a unit's duration",
			 causal_report_percent(-row->ten.latency_percent, -row->ten.latency_high,
					       -row->ten.latency_low)
				 .text);
	if (row->told && isfinite(row->site->slopes.q)) {
		snprintf(text, sizeof(text), "%.2g", row->site->slopes.q);
		put_fact(out, "q", row->site->slopes.q < 1e-4 ? "< 0.0001" : text);
	}
	fputs("</dl>", out);
}

static void put_brings(FILE *out, const struct causal_row *row)
{
	struct causal_text ten = causal_report_prediction(&row->ten);
	char *text = ten.text, *range = strchr(text, '[');

	if (range)
		range[-1] = '\0';
	fprintf(out, "<p class=\"brings\">%s%s", row->told ? causal_report_bound(&row->ten) : "",
		row->told && !isnan(row->ten.percent) ? text : "not told");
	if (row->told && range)
		fprintf(out, " <span class=\"range\">%s</span>", range);
	fputs("</p><p>of throughput, for 10 % off a call</p>", out);
}

static void put_stack(FILE *out, const struct causal_report *r, const struct causal_row *row)
{
	char frame[600];

	if (!row->found.row || !r->sites || !row->found.row->frames)
		return;
	fputs("<details><summary>call path</summary><ul class=\"path-list\">", out);
	for (uint32_t i = 0; i < row->found.row->frames; i++) {
		causal_report_frame(r, &row->found.row->frame[i], frame, sizeof(frame));
		put_text(out, "<li><bdi>", frame, "</bdi></li>");
	}
	fputs("</ul></details>", out);
}

static void put_site(FILE *out, const struct causal_report *r, const struct causal_row *row)
{
	const struct words note = causal_report_note(r, row);

	put_text(out, "<li class=\"site\"><h2><bdi>", row->label, "</bdi></h2><div>");
	put_brings(out, row);
	put_facts(out, row);
	fputs("</div><div>", out);
	put_chart(out, r, row);
	fputs("</div>", out);
	if (*note.text)
		put_text(out, "<p class=\"note\">", note.text, "</p>");
	put_stack(out, r, row);
	fputs("</li>\n", out);
}

static void put_head(FILE *out, const struct causal_report *r)
{
	const struct causal_result *c = r->result;
	struct causal_limits slow = causal_report_limits(&c->slopes.slowdown, 100);
	const struct words verdict = causal_report_verdict(r);

	put_text(
		out,
		"<header class=\"top\"><div class=\"bar\"><p class=\"mark\">scprof causal</p></div>"
		"<h1>What a faster call would bring to <bdi>",
		r->progress, "</bdi></h1>");
	fprintf(out, "<p class=\"figures\"><span><strong>%s/s</strong> progress</span><span>",
		numbered_digits(c->rate_per_s, 3).text);
	if (c->slopes.windows)
		fprintf(out,
			"<strong>%zu</strong> windows of %.3g s in %s s</span>"
			"<span>slowed down by <strong>%s</strong>, asked: %.3g %%",
			c->slopes.windows, c->window_s, numbered_digits(c->elapsed_s, 3).text,
			causal_report_limited(&slow).text, 100 * c->asked);
	else
		fputs(causal_report_untold(c), out);
	fputs("</span></p>", out);
	if (*verdict.text)
		put_text(out, "<p>", verdict.text, "</p>");
	if (r->warnings)
		fputs("<ul class=\"causal-warnings\">", out);
	for (size_t i = 0; i < r->warnings; i++) {
		fprintf(out, "<li><b>%s</b>", r->warning[i].code);
		put_text(out, " ", r->warning[i].text, "</li>");
	}
	fputs(r->warnings ? "</ul></header>\n" : "</header>\n", out);
}

static void put_computing(FILE *out, const struct causal_report *r)
{
	uint32_t rows = causal_computing_rows(r);

	if (!rows)
		return;
	put_text(out, "<section class=\"confirmed\"><h2>",
		 text_computing_title(r->computing, true).text, "</h2><ul class=\"path-list\">");
	for (uint32_t i = 0; i < rows; i++)
		put_text(out, "<li><bdi>", causal_computing_row(r, i).text, "</bdi></li>");
	put_text(out, "</ul><p>", causal_computing_advice(r).text, "</p></section>\n");
}

static void put_compared(FILE *out, const char *name, const char *value)
{
	fprintf(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>", name, value);
}

static void put_confirmed(FILE *out, const struct causal_confirmed *c)
{
	put_text(out, "<section class=\"confirmed\"><h2>Confirmed at <bdi>", c->site, "</bdi>");
	fprintf(out, ", %zu runs of each program</h2><table>", c->runs);
	put_compared(out, "a call changed by",
		     causal_report_percent(-100 * c->measured.value, -100 * c->measured.high,
					   -100 * c->measured.low)
			     .text);
	put_compared(out, "predicted for that", causal_report_prediction(&c->for_measured).text);
	put_compared(out, "realised", causal_report_limited(&c->realised).text);
	put_compared(out, "they agree",
		     c->too_wide ? "not known: the intervals are too wide"
		     : !c->known ? "not known"
		     : c->agrees ? "yes"
				 : "no");
	fputs("</table></section>\n", out);
}

int causal_html_print(const struct causal_report *r, FILE *out)
{
	fputs(causal_page_head, out);
	put_head(out, r);
	fputs("<main>", out);
	if (r->confirmed)
		put_confirmed(out, r->confirmed);
	fputs("<ol class=\"sites\">\n", out);
	for (size_t i = 0; i < r->rows; i++)
		put_site(out, r, &r->row[i]);
	fputs("</ol>\n", out);
	put_computing(out, r);
	fputs("</main>\n", out);
	fputs(causal_page_tail, out);
	return ferror(out) ? -1 : 0;
}
