// SPDX-License-Identifier: GPL-3.0-or-later
/* A comparison as one HTML page: both sides' flame graphs beside each other, and the sites with
 * their verdicts. As a report's page: its data goes between two halves that are made beforehand. */
#include "report/compare/diff.h"

#include <math.h>
#include <string.h>

#include "report/model/model.h"
#include "report/render/html/html_write.h"
#include "report/render/json/json.h"
#include "report/render/stacks/stacks.h"

HTML_PAGE(diff_page);

/* What was compared with what, and how: for those who ask. */
static void put_facts(struct html *h, const struct diff *d)
{
	char text[400];

	json_write_open(&h->json, "facts", '[');
	snprintf(text, sizeof(text), "a change of a site of less than %.6g %% is none",
		 100 * d->options.min_change);
	html_write_texts(h, "threshold", text);
	for (int i = 0; i < 2 * DIFF_QUANTITIES; i++) {
		const struct words words =
			diff_words_common(d, i % DIFF_QUANTITIES, i / DIFF_QUANTITIES);

		if (*words.text)
			html_write_texts(h, "shared", words.text);
	}
	snprintf(text, sizeof(text), "%s, then %s",
		 numbered_duration(d->side[DIFF_BASE].total_ns, true).text,
		 numbered_duration(d->side[DIFF_NEW].total_ns, true).text);
	html_write_texts(h, "time in calls that work", text);
	json_write_close(&h->json, ']');
}

static void put_runs_files(struct html *h, const struct diff *d)
{
	json_write_open(&h->json, "profiles", '[');
	for (uint32_t i = 0; i < d->profiles; i++) {
		const struct profile *p = d->profile[i];

		json_write_open(&h->json, NULL, '[');
		json_write_text(&h->json, NULL, p->processes ? p->process[0].file : NULL);
		json_write_text(&h->json, NULL, p->processes ? p->process[0].program : NULL);
		json_write_text(&h->json, NULL, report_names_clock(p->clock.kind));
		HTML_PUT(h, p->clock.tick_ns);
		json_write_close(&h->json, ']');
	}
	json_write_close(&h->json, ']');
	json_write_count(&h->json, "bases", d->bases);
}

static void put_per(struct html *h, const struct diff *d)
{
	const struct diff_per *per = &d->per;

	json_write_text(&h->json, "per", per->symbol ? d->options.per : NULL);
	json_write_numbers(&h->json, "units",
			   (double[]){per->symbol ? per->side[DIFF_BASE].units : NAN,
				      per->symbol ? per->side[DIFF_NEW].units : NAN},
			   2);
}

static void put_head(struct html *h, const struct diff *d)
{
	const struct words sides = diff_words_sides(d), per = diff_words_per(d, true);
	char text[32];

	json_write_text(&h->json, "verdict", diff_words_verdict(d).text);
	json_write_text(&h->json, "sides", *sides.text ? sides.text : NULL);
	JSON_PUT(&h->json, "per_words", *per.text ? per.text : NULL, "status", (uint64_t)d->status);
	json_write_text(&h->json, "by", report_names_by(d->options.by));
	snprintf(text, sizeof(text), "%.6g %%", 100 * (1 - d->options.confidence));
	JSON_PUT(&h->json, "false_share", text, "rows", d->sites);
	put_facts(h, d);
	put_runs_files(h, d);
	put_per(h, d);
}

/* ---- call paths ---- */

/* The call paths of a comparison's sites: lines to read, and boxes of flame graphs. Paths share
 * their beginnings, so both are trees whose nodes come after what calls them. */
struct diff_paths {
	struct html *html;
	const struct diff *diff;
	struct pairs frames; /* by profile and number of the symbol */
	struct html_lines lines;
	struct pairs labels; /* of boxes: by name and module, texts of the page */
	struct pairs boxes;  /* by the box that it is called from, and the label */
};

/* The path of a site: its innermost line, that of the call site (path_site.h), and the box of its
 * caller. PAIRS_NONE: it has none, or memory is out, which the page's writer then knows. */
struct diff_path {
	uint32_t line, site, box;
};
/* As in flame graphs of reports: the function, or else where its code lies. */
static uint32_t name_of(struct string_index *strings, const struct symbol *s)
{
	return s->brief ? string_index_add(strings, s->brief)
			: string_index_take(strings, stacks_place_name(s));
}

static uint32_t line_below(struct diff_paths *p, uint32_t above, const struct diff_site *s,
			   uint32_t frame, const struct symbol *symbol)
{
	uint32_t number = frame_symbols_number(symbol, diff_path_heuristic(p->diff, s, frame));
	uint32_t at = pairs_add(&p->frames, s->profile, number);

	if (html_lines_lack(&p->lines, at))
		html_lines_say(p->html, &p->lines, at, diff_path_frame_line(p->diff, s, frame));
	return html_lines_below(p->html, &p->lines, above, at);
}

static uint32_t box_below(struct diff_paths *p, uint32_t above, const struct symbol *s)
{
	struct string_index *strings = &p->html->strings;
	uint32_t label = pairs_add(&p->labels, name_of(strings, s),
				   string_index_add(strings, s->language ? s->file : s->module));

	return pairs_add(&p->boxes, above, label);
}

/* Without what the C library calls before main or a thread's function. */
static uint32_t frames_shown(const struct diff *d, const struct diff_site *s)
{
	uint32_t frames = diff_path_frames(d, s);

	if (frames > 2 && frame_symbols_is_starter(diff_path_symbols(d, s, frames - 2, NULL)))
		frames--;
	while (frames > 1 && frame_symbols_is_starter(diff_path_symbols(d, s, frames - 1, NULL)))
		frames--;
	return frames;
}

static struct diff_path add_path(struct diff_paths *p, const struct diff_site *s)
{
	struct diff_path path = {PAIRS_NONE, PAIRS_NONE, PAIRS_NONE};
	uint32_t site = diff_path_site(p->diff, s);

	for (uint32_t i = frames_shown(p->diff, s); i-- > 0 && !p->html->json.failed;) {
		size_t count;
		const struct symbol *symbol = diff_path_symbols(p->diff, s, i, &count);

		path.line = line_below(p, path.line, s, i, symbol);
		if (i == site)
			path.site = path.line;
		for (size_t k = count; k-- > 0;)
			path.box = box_below(p, path.box, &symbol[k]);
		p->html->json.failed |= path.box == PAIRS_NONE;
	}
	return path;
}

static void put_paths(struct diff_paths *p)
{
	struct html *h = p->html;

	html_lines_write(h, &p->lines);
	html_write_fields(h, "box_fields", "back label");
	html_write_tree(h, "boxes", &p->boxes, NULL);
	html_write_fields(h, "label_fields", "name module");
	JSON_LIST(&h->json, "labels", e, p->labels.pair, p->labels.count,
		  HTML_PUT(h, html_index(e->a), html_index(e->b)));
}

/* ---- sites ---- */

static void put_finding(struct html *h, const struct diff_site *s)
{
	const struct diff_finding *f = &s->verdict;
	const struct diff_test *t = &f->shown;
	bool tested = f->status <= DIFF_SAME;

	HTML_PUT(h, tested ? diff_words_percent(t->ratio, diff_words_unit(t)).text : NULL,
		 tested ? t->ratio : NAN, tested ? t->low : NAN, tested ? t->high : NAN, f->p, f->q,
		 tested ? t->detectable : NAN);
}

static void put_sides(struct html *h, const struct diff_site *s)
{
	const struct diff_side *base = &s->side[DIFF_BASE], *new = &s->side[DIFF_NEW];
	const struct diff_rate *rate = &s->rate;

	HTML_PUT(h, (double)base->calls, (double)new->calls,
		 base->calls ? diff_shown_ns(base->ns) : NAN,
		 new->calls ? diff_shown_ns(new->ns) : NAN, diff_shown_ns(base->unswitched_ns),
		 diff_shown_ns(new->unswitched_ns), base->total_ns, new->total_ns, s->effect_ns,
		 rate->calls[DIFF_BASE], rate->calls[DIFF_NEW], rate->ratio, rate->low, rate->high);
}

static void put_site(struct html *h, struct diff_paths *p, const struct diff_site *s)
{
	struct diff_path path = add_path(p, s);
	const struct words other = diff_words_other(p->diff, s);

	HTML_PUT(h, s->symbol, s->library, strcmp(s->outcome, "completed") ? s->outcome : NULL,
		 html_index(path.line), html_index(path.site), html_index(path.box),
		 s->verdict.status, s->counts, s->waiting, s->moved, s->rate.changed,
		 diff_words(p->diff, s).text, *other.text ? other.text : NULL);
	put_finding(h, s);
	put_sides(h, s);
}

static void put_sites(struct html *h, const struct diff *d)
{
	struct diff_paths p = {.html = h, .diff = d};

	html_write_fields(h, "site_fields",
			  "function library outcome path site caller status counts waits "
			  "moved rate_changed verdict other change ratio low high p q detectable "
			  "base_calls new_calls base_mean new_mean base_cpu new_cpu base_total "
			  "new_total effect base_rate new_rate rate_ratio rate_low rate_high");
	JSON_LIST(&h->json, "sites", e, d->site, h->sites, put_site(h, &p, e));
	put_paths(&p);
	pairs_clear(&p.frames);
	pairs_clear(&p.labels);
	pairs_clear(&p.boxes);
}

static void put_runs(struct html *h, const struct diff *d)
{
	html_write_fields(h, "run_fields", "calls mean error unswitched");
	json_write_open(&h->json, "runs", '[');
	for (uint32_t i = 0; i < h->sites; i++)
		for (uint32_t k = 0; k < d->profiles; k++) {
			const struct diff_run *r = &d->site[i].run[k];

			HTML_PUT(h, r->calls);
			json_write_rough(&h->json, NULL, r->calls ? r->mean.mean : NAN);
			json_write_rough(&h->json, NULL, r->calls ? r->mean.error : NAN);
			json_write_rough(&h->json, NULL, r->unswitched.mean);
		}
	json_write_close(&h->json, ']');
}

int diff_html(struct diff *d, FILE *out)
{
	struct html h = {.json = {.out = out, .page = true},
			 .sites = rows_of_top(d->sites, d->options.top)};

	fputs(diff_page_head, out);
	json_write_open(&h.json, NULL, '{');
	json_write_text(&h.json, "schema", "scprof-diff-html/1");
	put_head(&h, d);
	put_sites(&h, d);
	put_runs(&h, d);
	diff_json_computing(&h.json, d->computing);
	html_write_warnings(&h, d->warning, d->warnings);
	return html_write_end(&h, diff_page_tail);
}
