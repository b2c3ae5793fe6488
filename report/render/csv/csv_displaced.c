// SPDX-License-Identifier: GPL-3.0-or-later
/* What displacement says of a site, as columns. */
#include "report/render/csv/csv_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/model/displaced.h"

/* Row numbers from 0, as JSON's indices, separated by semicolons. NULL: out of memory. */
static char *partners_of(const struct report *r, uint32_t site)
{
	char *text = NULL;
	size_t bytes;
	FILE *memory = open_memstream(&text, &bytes);
	uint32_t i = memory ? displaced_partner(r, site, PROF_NONE) : r->sites;

	for (const char *before = ""; i < r->sites; i = displaced_partner(r, site, i)) {
		fprintf(memory, "%s%u", before, i);
		before = ";";
	}
	if (!memory || fclose(memory) == EOF) {
		free(text);
		return NULL;
	}
	return text;
}

static void put_cost(struct csv *c, const char *const *names, const struct report_cost *cost,
		     bool known)
{
	csv_write_number(c, names[0], known ? cost->ns : NAN);
	csv_write_number(c, names[1], known ? cost->low_ns : NAN);
	csv_write_number(c, names[2], known ? cost->high_ns : NAN);
	csv_write_number(c, names[3], known ? cost->error_ns : NAN);
}

void csv_displaced(struct csv *c, const struct report *r, const struct report_site *s)
{
	static const char *const uncharged[] = {"uncharged_ns", "uncharged_ci_low_ns",
						"uncharged_ci_high_ns", "uncharged_error_ns"};
	static const char *const true_cost[] = {"true_cost_ns", "true_cost_ci_low_ns",
						"true_cost_ci_high_ns", "true_cost_error_ns"};
	const struct report_displaced *d = &s->displaced;
	bool known = d->state == SCP_SITE_COST_KNOWN;
	char *partners = known ? partners_of(r, (uint32_t)(s - r->site)) : NULL;

	put_cost(c, uncharged, &d->uncharged, known);
	put_cost(c, true_cost, &d->true_cost, known);
	csv_write_number(c, "uncharged_p", known ? d->uncharged.p : NAN);
	if (known)
		csv_write_flag(c, "uncharged_significant", d->significant);
	else
		csv_write_nothing(c, "uncharged_significant");
	csv_write_text(c, "inseparable_with", partners);
	csv_write_text(c, "displacement", d->state ? displaced_state_name(d->state) : NULL);
	csv_write_number(c, "displacement_spans", d->state ? d->spans : NAN);
	csv_write_number(c, "displacement_windows_kept", d->state ? d->kept : NAN);
	csv_write_number(c, "displacement_others_share", d->state ? d->busy : NAN);
	csv_write_number(c, "variance_inflation", known ? d->inflation : NAN);
	free(partners);
}
