// SPDX-License-Identifier: GPL-3.0-or-later
/* The rows of the tables: their numbers, notes, histograms, and call paths to the line. Paths
 * share their beginnings, so each is a number in a tree of lines, innermost line last. */
#include "report/render/html/html_write.h"

#include <math.h>

#include "report/model/model.h"
#include "report/render/text/text.h"

/* The line of a frame below another line. Where a line's number is not known, the offset
 * distinguishes calls in one function. */
static uint32_t line_below(struct html *h, struct html_lines *l, uint32_t above,
			   const struct prof_frame *frame)
{
	const struct symbol *s = frame_symbols_find(h->report, frame, NULL);
	uint32_t at = frame_symbols_number(s, frame->heuristic);

	if (html_lines_lack(l, at))
		html_lines_say(h, l, at,
			       text_path_frame_line(h->report, frame, s->file ? 0 : APART_OFFSET));
	return html_lines_below(h, l, above, at);
}

/* The innermost line, and that of the call site (path_site.h), which the table shows. */
struct row_lines {
	uint32_t path, site;
};

static struct row_lines lines_of(struct html *h, struct html_lines *l, const struct report_site *s)
{
	uint32_t frames = frame_symbols_trim_startup(h->report, s);
	uint32_t site = path_site_find(s->frame, frames);
	struct row_lines at = {STRING_INDEX_NONE, STRING_INDEX_NONE};

	for (uint32_t i = frames; i-- > 0;) {
		at.path = line_below(h, l, at.path, &s->frame[i]);
		if (i == site)
			at.site = at.path;
	}
	return at;
}

/* 0 where only a limit is known. */
static void put_mean(struct html *h, const struct report_site *s)
{
	const struct mean_interval limit = {.high = s->below_ns};

	html_write_interval(h, isnan(s->below_ns) ? &s->estimate : &limit);
	HTML_PUT(h, s->estimate.method);
}

static void put_slow(struct html *h, const struct report_site *s)
{
	const struct mean_interval *e = &s->slow.estimate;
	bool seen = s->has_slow && s->slow.seen;

	/* without a tick there is no mean, only a limit */
	HTML_PUT(h, seen ? e->mean : NAN, seen ? e->low : NAN, s->has_slow ? e->high : NAN,
		 s->has_slow && s->slow.covers);
}

static void put_cost(struct html *h, double ns, double low_ns, double high_ns, bool known)
{
	HTML_PUT(h, known ? ns : NAN, known ? low_ns : NAN, known ? high_ns : NAN);
}

/* Rows with inseparable costs have the number of the first of them. */
static void put_displaced(struct html *h, const struct report_site *s, uint32_t index)
{
	const struct report_displaced *d = &s->displaced;
	bool known = d->state == SCP_SITE_COST_KNOWN;
	uint32_t partner = known ? displaced_partner(h->report, index, PROF_NONE) : PROF_NONE;
	const struct mean_interval *m = &s->states.charged;

	HTML_PUT(h, displaced_state_name(d->state));
	put_cost(h, d->uncharged.ns, d->uncharged.low_ns, d->uncharged.high_ns, known);
	HTML_PUT(h, known && d->significant);
	put_cost(h, m->mean, m->low, m->high, s->states.known);
	put_cost(h, d->both.ns, d->both.low_ns, d->both.high_ns, known);
	put_cost(h, d->true_cost.ns, d->true_cost.low_ns, d->true_cost.high_ns, known);
	HTML_PUT(h, html_index(partner >= h->report->sites ? STRING_INDEX_NONE
			       : partner < index	   ? partner
							   : index));
}

static void put_row(struct html *h, struct html_lines *l, const struct report_site *s)
{
	uint32_t index = (uint32_t)(s - h->report->site);
	bool plain = !s->overflow && s->outcome == SCP_COMPLETED;
	struct row_lines lines = lines_of(h, l, s);

	HTML_PUT(h, html_index(s->function), plain ? NULL : report_names_outcome(s),
		 html_index(lines.path), html_index(lines.site), report_names_path_end(s),
		 html_index(h->flame.end[index]), s->calls);
	html_write_bytes(h, s->has_bytes, s->bytes);
	put_mean(h, s);
	HTML_PUT(h, s->total_ns, s->time_share, s->waits,
		 s->per_byte_matters ? s->per_byte_ns : NAN, s->calls - s->mean_calls,
		 s->calls - s->outer_calls, s->inner_calls ? s->self_ns : NAN, s->inner_calls,
		 s->paths,
		 html_index(s->program < h->report->programs ? s->program : STRING_INDEX_NONE));
	if (h->report->profile->slow.kind != SCP_CLOCK_NONE)
		put_slow(h, s);
	if (h->report->profile->site_costs)
		put_displaced(h, s, index);
}

static void put_fields(struct html *h)
{
	static const char plain[] =
		"function outcome path site path_end box calls bytes mean low high below above "
		"method "
		"total share waits per_byte aside nested self inner paths program";
	static const char slow[] = " slow_mean slow_low slow_high slow_covers";
	static const char costs[] = " displacement uncharged uncharged_low uncharged_high "
				    "uncharged_significant charged charged_low charged_high "
				    "both both_low both_high true_cost true_low true_high together";
	const struct profile *p = h->report->profile;
	char all[sizeof(plain) + sizeof(slow) + sizeof(costs)];

	snprintf(all, sizeof(all), "%s%s%s", plain, p->slow.kind == SCP_CLOCK_NONE ? "" : slow,
		 p->site_costs ? costs : "");
	html_write_fields(h, "site_fields", all);
}

static void put_functions(struct html *h)
{
	const struct profile *p = h->report->profile;

	html_write_fields(h, "function_fields", "name library");
	JSON_LIST(&h->json, "functions", e, p->function, p->functions,
		  HTML_PUT(h, e->name, e->library));
}

static void put_note(void *to, const char *line)
{
	struct html *h = to;

	h->json.failed |= !line;
	HTML_PUT(h, line);
}

/* Row, reliability warnings, notes; only rows that have some. */
static void put_notes(struct html *h)
{
	json_write_open(&h->json, "notes", '[');
	for (uint32_t i = 0; i < h->sites; i++) {
		const struct report_site *s = &h->report->site[i];
		unsigned unreliable = reliability_doubts(s);

		if (!unreliable && !(s->findings & ~(unsigned)REPORT_FEW_CALLS) &&
		    !(s->findings && s->share >= RELIABILITY_LEAST_SHARE))
			continue;
		json_write_open(&h->json, NULL, '[');
		HTML_PUT(h, i);
		json_write_open(&h->json, NULL, '[');
		for (unsigned bit = 1; bit <= unreliable; bit *= 2)
			if (unreliable & bit)
				HTML_PUT(h, reliability_name(bit));
		json_write_close(&h->json, ']');
		json_write_open(&h->json, NULL, '[');
		text_notes_steady_lines(s, true, put_note, h);
		json_write_close(&h->json, ']');
		json_write_close(&h->json, ']');
	}
	json_write_close(&h->json, ']');
}

/* The limits of all buckets are the same at all sites, so they are stored once. */
static void put_limits(struct html *h)
{
	double from[SCP_HIST_BLOCKS * SCP_HIST_BUCKETS], to[SCP_HIST_BLOCKS * SCP_HIST_BUCKETS];
	bool used[SCP_HIST_BLOCKS * SCP_HIST_BUCKETS] = {false};

	for (uint32_t i = 0; i < h->sites; i++)
		for (uint32_t k = 0; k < h->report->site[i].bars; k++) {
			const struct report_bar *b = &h->report->site[i].bar[k];

			used[b->bucket] = true;
			from[b->bucket] = b->from_ns;
			to[b->bucket] = b->to_ns;
		}
	html_write_fields(h, "bucket_fields", "bucket from to");
	json_write_open(&h->json, "buckets", '[');
	for (uint32_t i = 0; i < SCP_HIST_BLOCKS * SCP_HIST_BUCKETS; i++)
		if (used[i])
			HTML_PUT(h, i, from[i], to[i]);
	json_write_close(&h->json, ']');
}

static void put_latency(struct html *h, const struct report_site *s, uint32_t row)
{
	const struct report_percentiles *p = &s->percentiles;

	json_write_open(&h->json, NULL, '[');
	HTML_PUT(h, row);
	for (unsigned i = 0; i < REPORT_PERCENTILES; i++)
		HTML_PUT(h, p->at[i].ns, p->at[i].low_ns, p->at[i].high_ns);
	for (unsigned i = 0; i < REPORT_PERCENTILES; i++)
		HTML_PUT(h, p->at[i].unreliable);
	HTML_PUT(h, p->max_ns);
	json_write_open(&h->json, NULL, '[');
	for (uint32_t k = 0; k < s->bars; k++) {
		HTML_PUT(h, s->bar[k].bucket, s->bar[k].calls);
		json_write_rough(&h->json, NULL, s->bar[k].height);
	}
	json_write_close(&h->json, ']');
	json_write_close(&h->json, ']');
}

static void put_latencies(struct html *h)
{
	put_limits(h);
	html_write_fields(h, "latency_fields",
			  "row p50 p50_low p50_high p90 p90_low p90_high p99 p99_low p99_high p999 "
			  "p999_low p999_high "
			  "p50_doubt p90_doubt p99_doubt p999_doubt max bars");
	html_write_fields(h, "bar_fields", "bucket calls height");
	json_write_open(&h->json, "latencies", '[');
	for (uint32_t i = 0; i < h->sites; i++)
		if (h->report->site[i].has_percentiles)
			put_latency(h, &h->report->site[i], i);
	json_write_close(&h->json, ']');
}

/* ---- what was computed: the functions, the largest share first; their paths are lines, too ----
 */

#define FUNCTIONS_MOST 1000

static void put_computing_row(struct html *h, struct html_lines *l,
			      const struct report_computing_row *row)
{
	HTML_PUT(h, computing_name(row), row->module, html_index(lines_of(h, l, &row->place).path),
		 row->samples, row->share, row->share_low, row->share_high, 1e9 * row->cpu_s);
}

static void put_computing(struct html *h, struct html_lines *l)
{
	const struct report_computing *c = h->report->computing;

	if (!c || c->samples == c->in_calls) {
		json_write_null(&h->json, "computing");
		return;
	}
	json_write_open(&h->json, "computing", '{');
	json_write_text(&h->json, "title", text_computing_title(h->report, true).text);
	struct words recording = text_computing_recording(c);
	json_write_text(&h->json, "recording", *recording.text ? recording.text : NULL);
	json_write_count(&h->json, "of", c->rows);
	html_write_fields(h, "fields", "function module path samples share low high cpu");
	JSON_LIST(&h->json, "rows", e, c->row, rows_of_top(c->rows, FUNCTIONS_MOST),
		  put_computing_row(h, l, e));
	json_write_close(&h->json, '}');
}

void html_sites(struct html *h)
{
	struct html_lines lines = {0};

	json_write_count(&h->json, "rows", h->report->sites);
	put_fields(h);
	JSON_LIST(&h->json, "sites", e, h->report->site, h->sites, put_row(h, &lines, e));
	put_computing(h, &lines);
	put_functions(h);
	html_lines_write(h, &lines);
	put_notes(h);
	put_latencies(h);
}
