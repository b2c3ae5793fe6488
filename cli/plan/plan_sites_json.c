// SPDX-License-Identifier: GPL-3.0-or-later
/* The plan of further runs as JSON: each site as in scprof-report/1, and what it needs. */
#include <math.h>

#include "report/render/json/json.h"
#include "cli/plan/plan_sites.h"
#include "cli/plan/plan_words.h"

static json_t *site(struct report *r, const struct plan_site *p, int *failed)
{
	json_t *object = json_site(r, &r->site[p->site]);

	json_parts_put(object, "width", json_parts_number(p->width), failed);
	json_parts_put(object, "state", json_parts_text(plan_state_name(p->state)), failed);
	json_parts_put(object, "reason", json_parts_text(p->reason), failed);
	json_parts_put(object, "rough", json_boolean(p->rough), failed);
	json_parts_put(object, "calls_needed", plan_words_json(p->calls), failed);
	json_parts_put(object, "more_calls", plan_words_json(p->more_calls), failed);
	json_parts_put(object, "more_s", json_parts_number(p->more_ns / 1e9), failed);
	return object;
}

static json_t *states(const struct plan_sites *p, int *failed)
{
	json_t *object = json_object();

	for (int i = 0; i <= PLAN_UNKNOWN; i++)
		json_parts_put(object, plan_state_name((enum plan_state)i),
			       json_parts_count(p->in_state[i]), failed);
	return object;
}

int plan_sites_json(const struct plan_sites *p, struct report *r, const struct plan_options *o)
{
	json_t *doc = json_object(), *sites = json_array();
	int failed = 0;

	for (uint32_t i = 0; i < p->sites; i++)
		failed += json_array_append_new(sites, site(r, &p->site[i], &failed)) < 0;
	json_parts_put(doc, "schema", json_parts_text("scprof-plan/1"), &failed);
	json_parts_put(doc, "confidence", json_parts_number(o->confidence), &failed);
	json_parts_put(doc, "width", json_parts_number(o->width), &failed);
	json_parts_put(doc, "share", json_parts_number(o->share), &failed);
	json_parts_put(doc, "by", json_parts_text(words_by_name(o->by)), &failed);
	json_parts_put(doc, "calls", json_parts_count(r->calls), &failed);
	json_parts_put(doc, "running_s", json_parts_number(p->running_ns / 1e9), &failed);
	json_parts_put(doc, "factor", json_parts_number(p->factor), &failed);
	json_parts_put(doc, "more_calls", plan_words_json(p->more_calls), &failed);
	json_parts_put(doc, "more_s", json_parts_number(p->more_ns / 1e9), &failed);
	json_parts_put(doc, "far", json_boolean(p->far), &failed);
	json_parts_put(doc, "states", states(p, &failed), &failed);
	json_parts_put(doc, "perhaps_above_share", json_parts_count(p->perhaps), &failed);
	json_parts_put(doc, "sites", sites, &failed);
	return plan_words_dump(doc, failed);
}
