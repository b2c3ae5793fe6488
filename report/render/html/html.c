// SPDX-License-Identifier: GPL-3.0-or-later
/* The page's data: what ran, the sites, the flame graph, the other tables, the warnings. */
#include "report/render/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings/findings.h"
#include "report/model/model.h"
#include "report/model/sites.h"
#include "report/wording/warning_list.h"
#include "report/render/html/html_write.h"
#include "report/wording/numbers.h"

HTML_PAGE(html_page);

/* What a browser draws and searches at once; more only where --top asks for it. */
#define MOST_ROWS  20000
#define MOST_BOXES 100000

/* ---- the boxes of the flame graph, in preorder. A box of one row has that row's numbers and only
 * names it; the others' follow in `sums` ---- */

static bool has_row(const struct html *h, const struct flame_box *b)
{
	return b->sites == 1 && b->site < h->sites;
}

/* Kind, name, module and outcome are the same for many boxes: they are stored once. */
static void put_labels(struct html *h)
{
	html_write_fields(h, "label_fields", "kind name module outcome");
	JSON_LIST(&h->json, "labels", l, h->flame.label, h->flame.labels,
		  HTML_PUT(h, l->kind, html_index(l->name), html_index(l->module),
			   html_index(l->outcome)));
}

static void put_boxes(struct html *h)
{
	uint32_t sums = 0;

	if (h->flame.left_out)
		json_write_count(&h->json, "boxes_left_out", h->flame.left_out);
	html_write_fields(h, "box_fields", "depth label row");
	/* below 0: not a row, but -1 - the place in the sums */
	JSON_LIST(&h->json, "boxes", b, h->flame.box, h->flame.boxes,
		  HTML_PUT(h, b->depth, b->label,
			   has_row(h, b) ? (int64_t)b->site : -1 - (int64_t)sums++));
}

static void put_sums(struct html *h)
{
	html_write_fields(h, "sum_fields",
			  h->states ? "rows value share calls bytes mean low high below above "
				      "doubts aside on_cpu runnable asleep"
				    : "rows value share calls bytes mean low high below above "
				      "doubts aside");
	json_write_open(&h->json, "sums", '[');
	for (const struct flame_box *b = h->flame.box; b < h->flame.box + h->flame.boxes; b++) {
		const struct mean_interval mean = {
			.mean = b->mean_ns, .low = b->low_ns, .high = b->high_ns};

		if (has_row(h, b))
			continue;
		HTML_PUT(h, b->sites, b->value_ns, b->share, b->calls);
		html_write_bytes(h, b->has_bytes, b->bytes);
		html_write_interval(h, &mean);
		html_write_doubts(h, b->unreliable);
		HTML_PUT(h, b->aside);
		if (h->states)
			HTML_PUT(h, b->on_cpu_ns, b->runnable_ns, b->asleep_ns);
	}
	json_write_close(&h->json, ']');
}

/* Pairs: a box, and the CPU time that was computed in it, and below it. */
static void put_computing(struct html *h)
{
	json_write_open(&h->json, "box_computing", '[');
	for (uint32_t i = 0; i < h->flame.boxes; i++)
		if (h->flame.box[i].computing_ns > 0)
			HTML_PUT(h, i, h->flame.box[i].computing_ns);
	json_write_close(&h->json, ']');
}

static void put_fact(void *to, const char *name, const char *raw)
{
	html_write_texts((struct html *)to, name, raw);
}

/* The numbers to see first; time has its own bar. */
static void put_figures(struct html *h)
{
	const struct report *r = h->report;
	char note[96];

	json_write_open(&h->json, "figures", '[');
	snprintf(note, sizeof(note), "in %s row%s", numbered_count(r->sites).text,
		 r->sites == 1 ? "" : "s");
	html_write_texts(h, "calls", numbered_count(r->calls).text, note);
	snprintf(note, sizeof(note), "%s process%s, %s thread%s",
		 numbered_count(r->all_processes).text, r->all_processes == 1 ? "" : "es",
		 numbered_count(r->all_threads).text, r->all_threads == 1 ? "" : "s");
	html_write_texts(h, "wall time", numbered_duration(r->wall_s * 1e9, true).text, note);
	snprintf(note, sizeof(note), "%s that scprof took",
		 numbered_duration(r->perturbation_ns, true).text);
	html_write_texts(
		h, "overhead",
		numbered_share(r->time_ns > 0 ? r->perturbation_ns / r->time_ns : NAN).text,
		r->overhead.measured ? note : "not measured in this run");
	json_write_close(&h->json, ']');
}

/* In ns; nested calls are in those around them. */
static void put_time(struct html *h)
{
	const struct report *r = h->report;

	JSON_OBJECT(&h->json, "time", "threads", r->time_ns, "in_calls", r->calls_ns - r->nested_ns,
		    "waiting", r->waiting_ns);
}

static void put_head(struct html *h)
{
	const struct report *r = h->report;
	const struct head head = {r, true, put_fact, h};
	char *command = report_head_command(r), text[32];

	json_write_text(&h->json, "title", command ? command : "");
	free(command);
	JSON_PUT(&h->json, "verdict", verdict_of(r).text, "by", report_names_by(r->by));
	snprintf(text, sizeof(text), "%.6g %%", 100 * r->confidence);
	json_write_text(&h->json, "confidence", text);
	put_figures(h);
	put_time(h);
	json_write_open(&h->json, "facts", '[');
	report_head_each(&head);
	report_head_check(&head);
	json_write_close(&h->json, ']');
	json_write_number(&h->json, "overhead", r->overhead.measured ? r->overhead.inside_ns : NAN);
	json_write_text(&h->json, "nested",
			r->nested_ns > 0 ? numbered_duration(r->nested_ns, true).text : NULL);
}

static void put_next(struct html *h)
{
	const struct report *r = h->report;
	char *looked = r->calls ? elsewhere_describe(r) : NULL;

	json_write_text(&h->json, "elsewhere", looked);
	free(looked);
	json_write_open(&h->json, "next", '[');
	for (uint32_t i = 0; i < r->next_steps; i++) {
		char *words = strndup(r->next_step[i], r->next_command[i]);

		html_write_texts(h, words ? words : "", r->next_step[i] + r->next_command[i]);
		free(words);
	}
	json_write_close(&h->json, ']');
}

static void put_data(struct html *h)
{
	json_write_open(&h->json, NULL, '{');
	json_write_text(&h->json, "schema", "scprof-html/1");
	put_head(h);
	html_sites(h);
	html_states(h);
	put_boxes(h);
	put_labels(h);
	put_sums(h);
	put_computing(h);
	html_tables(h);
	html_loops(h);
	html_displaced(h);
	/* last: symbolizing may have added some */
	html_write_warnings(h, h->report->warning, h->report->warnings);
	put_next(h);
}

int html_print(struct report *r, const struct report_options *o, FILE *out)
{
	uint32_t top = o->top == REPORT_TOP_DEFAULT ? MOST_ROWS : o->top;
	struct html h = {.report = r,
			 .states = states_any(r),
			 .json = {.out = out, .page = true},
			 .sites = rows_of_top(r->sites, top)};

	if (flame_build(&h.flame, r, &h.strings) < 0 ||
	    (top && flame_limit(&h.flame, r->sites, MOST_BOXES) < 0)) {
		flame_free(&h.flame);
		string_index_clear(&h.strings);
		return -1;
	}
	if (r->profile->accounts > 1)
		warning_list_note(r, "site-costs-apart",
				  "The profile holds %" PRIu32 " accounts of the CPUs' time",
				  r->profile->accounts);
	fputs(html_page_head, out);
	put_data(&h);
	flame_free(&h.flame);
	return html_write_end(&h, html_page_tail);
}
