// SPDX-License-Identifier: GPL-3.0-or-later
/* What displacement says of a site, as fields of it. */
#include "json.h"

#include <math.h>

#include "displaced.h"

/* Indices of the sites[] that share its cost. One that --top left out is named all the same:
 * the index is that of the whole report. */
static json_t *partners_of(const struct report *r, uint32_t site, int *failed)
{
	json_t *all = json_array();

	for (uint32_t i = displaced_partner(r, site, PROF_NONE); i < r->sites;
	     i = displaced_partner(r, site, i))
		*failed += json_array_append_new(all, json_count(i)) < 0;
	return all;
}

static void put_cost(json_t *o, const char *const *names, const struct report_cost *c, bool known,
		     int *failed)
{
	json_put(o, names[0], json_number(known ? c->ns : NAN), failed);
	json_put(o, names[1], json_number(known ? c->low_ns : NAN), failed);
	json_put(o, names[2], json_number(known ? c->high_ns : NAN), failed);
	json_put(o, names[3], json_number(known ? c->error_ns : NAN), failed);
}

void json_displaced(json_t *o, const struct report *r, const struct report_site *s, int *failed)
{
	static const char *const uncharged[] = {"uncharged_ns", "uncharged_ci_low_ns",
						"uncharged_ci_high_ns", "uncharged_error_ns"};
	static const char *const true_cost[] = {"true_cost_ns", "true_cost_ci_low_ns",
						"true_cost_ci_high_ns", "true_cost_error_ns"};
	const struct report_displaced *d = &s->displaced;
	bool known = d->state == SCP_SITE_COST_KNOWN;

	put_cost(o, uncharged, &d->uncharged, known, failed);
	put_cost(o, true_cost, &d->true_cost, known, failed);
	json_put(o, "uncharged_p", json_number(known ? d->uncharged.p : NAN), failed);
	json_put(o, "uncharged_significant", known ? json_boolean(d->significant) : json_null(),
		 failed);
	json_put(o, "inseparable_with",
		 known ? partners_of(r, (uint32_t)(s - r->site), failed) : json_array(), failed);
	json_put(o, "displacement",
		 d->state ? json_text(displaced_state_name(d->state)) : json_null(), failed);
	json_put(o, "displacement_spans", d->state ? json_count(d->spans) : json_null(), failed);
	json_put(o, "displacement_windows_kept", json_number(d->state ? d->kept : NAN), failed);
	json_put(o, "displacement_others_share", json_number(d->state ? d->busy : NAN), failed);
	json_put(o, "variance_inflation", json_number(known ? d->inflation : NAN), failed);
}
