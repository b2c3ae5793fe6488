// SPDX-License-Identifier: GPL-3.0-or-later
/* Chooses the renderer, and sees that all it wrote has arrived. */
#include "report/report_print.h"

#include <errno.h>

#include "report/render/stacks/callgrind.h"
#include "report/render/csv/csv.h"
#include "report/model/displaced.h"
#include "report/render/stacks/folded.h"
#include "report/render/html/html.h"
#include "report/render/json/json.h"
#include "report/render/pprof/pprof.h"
#include "report/render/stacks/svg.h"
#include "report/render/text/text.h"

typedef int printer(struct report *r, const struct report_options *o, FILE *out);

#define FORMAT_PRINTER(value, name, suffix, print, traits) [value] = (print),
static printer *const printers[] = {REPORT_FORMATS(FORMAT_PRINTER)};

/* Text shows a few rows of a million; gaps refer to any of them, and what is significant by
 * displacement is so among all. */
static uint32_t sites_shown(const struct profile *p, const struct report_options *o)
{
	return o->format == REPORT_TEXT && o->by != REPORT_BY_GAP && !displaced_has_costs(p)
		       ? text_sites_read(o)
		       : UINT32_MAX;
}

/* `status` of a renderer, which is -1 only without memory, and whether all was written. */
static int finish(FILE *out, int status)
{
	if (fflush(out) == EOF || ferror(out)) {
		errno = errno ? errno : EIO;
		return -1;
	}
	if (status < 0)
		errno = ENOMEM;
	return status;
}

int report_print(const struct profile *p, const struct report_options *o, FILE *out)
{
	struct report *r = report_build_some(p, o, sites_shown(p, o));
	int status;

	if (!r) {
		errno = ENOMEM;
		return -1;
	}
	errno = 0;
	status = printers[o->format](r, o, out);
	report_free(r);
	return finish(out, status);
}

int report_print_diff(struct diff *d, FILE *out)
{
	int status;

	errno = 0;
	switch (d->options.format) {
	case REPORT_JSON:
		status = diff_json(d, out);
		break;
	case REPORT_HTML:
		status = diff_html(d, out);
		break;
	default:
		status = diff_text(d, out);
	}
	return finish(out, status);
}
