// SPDX-License-Identifier: GPL-3.0-or-later
/* The page's data: what ran, the sites, the flame graph, the other tables, the warnings. */
#include "report/render/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/displacement_file.h"
#include "report/findings/findings.h"
#include "report/model/model.h"
#include "report/model/sites.h"
#include "report/wording/warning_list.h"
#include "report/render/html/html_write.h"
#include "report/wording/numbers.h"

HTML_PAGE(html_page);

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
	snprintf(note, sizeof(note), "%s process%s, %s thread%s", numbered_count(r->processes).text,
		 r->processes == 1 ? "" : "es", numbered_count(r->threads).text,
		 r->threads == 1 ? "" : "s");
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

	json_write_open(&h->json, "time", '{');
	json_write_number(&h->json, "threads", r->time_ns);
	json_write_number(&h->json, "in_calls", r->calls_ns - r->nested_ns);
	json_write_number(&h->json, "waiting", r->waiting_ns);
	json_write_close(&h->json, '}');
}

static void put_head(struct html *h)
{
	const struct report *r = h->report;
	const struct head head = {r, true, put_fact, h};
	char *command = report_head_command(r), text[32];

	json_write_text(&h->json, "title", command ? command : "");
	free(command);
	json_write_text(&h->json, "verdict", verdict_of(r).text);
	json_write_text(&h->json, "by", report_names_by(r->by));
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

static void put_data(struct html *h, const struct displaced *displaced)
{
	json_write_open(&h->json, NULL, '{');
	json_write_text(&h->json, "schema", "scprof-html/1");
	put_head(h);
	html_sites(h);
	html_states(h);
	html_flame(h);
	html_tables(h);
	html_loops(h);
	html_displaced(h, displaced);
	/* last: symbolizing may have added some */
	html_write_warnings(h, h->report->warning, h->report->warnings);
	put_next(h);
}

/* The account that was asked for, else the profile's own, to be freed. */
static const struct displaced *account_of(struct report *r, const struct report_options *o,
					  struct displaced **own)
{
	*own = o->displaced ? NULL : displacement_file_recorded(r->profile, r->confidence);
	if (!o->displaced && r->profile->accounts > 1)
		warning_list_note(r, "site-costs-apart",
				  "The profile holds %" PRIu32 " accounts of the CPUs' time",
				  r->profile->accounts);
	return o->displaced ? o->displaced : *own;
}

int html_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct displaced *own;
	const struct displaced *account;
	struct html h = {.report = r,
			 .states = states_any(r),
			 .json = {.out = out, .page = true},
			 .sites = rows_shown(r->sites, o)};

	if (flame_build(&h.flame, r, &h.strings) < 0) {
		string_index_clear(&h.strings);
		return -1;
	}
	account = account_of(r, o, &own);
	fputs(html_page_head, out);
	put_data(&h, account);
	displacement_file_free(own);
	flame_free(&h.flame);
	return html_write_end(&h, html_page_tail);
}
