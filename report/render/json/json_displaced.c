// SPDX-License-Identifier: GPL-3.0-or-later
/* What displacement says of a site, as fields of it. */
#include "report/render/json/json.h"

#include <math.h>

#include "report/model/displaced.h"

/* Indices of the sites[] that share its cost. One that --top left out is named all the same:
 * the index is that of the whole report. */
static void put_partners(struct json_writer *w, const struct report *r, uint32_t site, bool known)
{
	json_write_open(w, "inseparable_with", '[');
	for (uint32_t i = known ? displaced_partner(r, site, PROF_NONE) : r->sites; i < r->sites;
	     i = displaced_partner(r, site, i))
		json_write_count(w, NULL, i);
	json_write_close(w, ']');
}

static void put_cost(struct json_writer *w, const char *const *names, const struct report_cost *c,
		     bool known)
{
	json_write_number(w, names[0], known ? c->ns : NAN);
	json_write_number(w, names[1], known ? c->low_ns : NAN);
	json_write_number(w, names[2], known ? c->high_ns : NAN);
	json_write_number(w, names[3], known ? c->error_ns : NAN);
}

void json_displaced(struct json_writer *w, const struct report *r, const struct report_site *s)
{
	static const char *const uncharged[] = {"uncharged_ns", "uncharged_ci_low_ns",
						"uncharged_ci_high_ns", "uncharged_error_ns"};
	static const char *const true_cost[] = {"true_cost_ns", "true_cost_ci_low_ns",
						"true_cost_ci_high_ns", "true_cost_error_ns"};
	const struct report_displaced *d = &s->displaced;
	bool known = d->state == SCP_SITE_COST_KNOWN;

	put_cost(w, uncharged, &d->uncharged, known);
	put_cost(w, true_cost, &d->true_cost, known);
	json_write_number(w, "uncharged_p", known ? d->uncharged.p : NAN);
	if (known)
		json_write_flag(w, "uncharged_significant", d->significant);
	else
		json_write_null(w, "uncharged_significant");
	put_partners(w, r, (uint32_t)(s - r->site), known);
	json_write_text(w, "displacement", d->state ? displaced_state_name(d->state) : NULL);
	if (d->state)
		json_write_count(w, "displacement_spans", d->spans);
	else
		json_write_null(w, "displacement_spans");
	json_write_number(w, "displacement_windows_kept", d->state ? d->kept : NAN);
	json_write_number(w, "displacement_others_share", d->state ? d->busy : NAN);
	json_write_number(w, "variance_inflation", known ? d->inflation : NAN);
}
