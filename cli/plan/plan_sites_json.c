// SPDX-License-Identifier: GPL-3.0-or-later
/* The plan of further runs as JSON: each site as in scprof-report/1, and what it needs. */
#include <math.h>

#include "report/render/json/json.h"
#include "cli/plan/plan_sites.h"

/* As plan_words_json: an integer where it is exact. */
static void put_count(struct json_writer *w, const char *key, double count)
{
	if (fabs(count) < 0x1p53 && count == floor(count))
		json_write_integer(w, key, (int64_t)count);
	else
		json_write_number(w, key, count);
}

static void put_cpu(struct json_writer *w, const struct plan_site *p)
{
	if (isnan(p->cpu_width)) {
		json_write_null(w, "cpu");
		return;
	}
	json_write_open(w, "cpu", '{');
	json_write_number(w, "width", p->cpu_width);
	put_count(w, "calls_needed", p->cpu_calls);
	put_count(w, "more_calls", p->cpu_more_calls);
	json_write_close(w, '}');
}

static void put_all_cpu(struct json_writer *w, const struct plan_sites *p)
{
	if (isnan(p->cpu_factor)) {
		json_write_null(w, "cpu");
		return;
	}
	json_write_open(w, "cpu", '{');
	json_write_number(w, "factor", p->cpu_factor);
	put_count(w, "more_calls", p->cpu_more_calls);
	json_write_number(w, "more_s", p->cpu_more_ns / 1e9);
	json_write_close(w, '}');
}

static void put_site(struct json_writer *w, struct report *r, const struct plan_site *p)
{
	struct json_stack_cache unused = {0}; /* indented frames are not kept */

	json_write_open(w, NULL, '{');
	json_site_write(w, r, &r->site[p->site], &unused);
	json_write_number(w, "width", p->width);
	json_write_text(w, "state", plan_state_name(p->state));
	json_write_text(w, "reason", p->reason);
	json_write_flag(w, "rough", p->rough);
	put_count(w, "calls_needed", p->calls);
	put_count(w, "more_calls", p->more_calls);
	json_write_number(w, "more_s", p->more_ns / 1e9);
	put_cpu(w, p);
	json_write_close(w, '}');
}

static void put_states(struct json_writer *w, const struct plan_sites *p)
{
	json_write_open(w, "states", '{');
	for (int i = 0; i <= PLAN_UNKNOWN; i++)
		json_write_count(w, plan_state_name((enum plan_state)i), p->in_state[i]);
	json_write_close(w, '}');
}

int plan_sites_json(const struct plan_sites *p, struct report *r, const struct plan_options *o)
{
	struct json_writer json = {.out = stdout, .indent = true}, *w = &json;

	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-plan/1");
	json_write_number(w, "confidence", o->confidence);
	json_write_number(w, "width", o->width);
	json_write_number(w, "share", o->share);
	json_write_text(w, "by", report_names_by(o->by));
	json_write_count(w, "calls", r->calls);
	json_write_number(w, "running_s", p->running_ns / 1e9);
	json_write_number(w, "factor", p->factor);
	put_count(w, "more_calls", p->more_calls);
	json_write_number(w, "more_s", p->more_ns / 1e9);
	json_write_flag(w, "far", p->far);
	json_write_flag(w, "brief", p->brief);
	put_all_cpu(w, p);
	put_states(w, p);
	json_write_count(w, "perhaps_above_share", p->perhaps);
	json_write_open(w, "sites", '[');
	for (uint32_t i = 0; i < p->sites; i++)
		put_site(w, r, &p->site[i]);
	json_write_close(w, ']');
	json_write_close(w, '}');
	return putchar('\n') == EOF || w->failed ? -1 : 0;
}
