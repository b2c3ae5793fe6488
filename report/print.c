// SPDX-License-Identifier: GPL-3.0-or-later
/* From a profile to a printed report. */
#include "report.h"

#include <errno.h>

#include "html.h"
#include "json.h"
#include "text.h"

int report_print(const struct profile *p, const struct report_options *o, FILE *out)
{
	struct report *r = report_build(p, o);
	int status;

	if (!r) {
		errno = ENOMEM;
		return -1;
	}
	errno = 0;
	switch (o->format) {
	case REPORT_JSON:
		status = report_json(r, o, out);
		break;
	case REPORT_HTML:
		status = report_html(r, o, out);
		break;
	default:
		status = report_text(r, o, out);
	}
	report_free(r);
	if (fflush(out) == EOF || ferror(out)) {
		if (!errno)
			errno = EIO;
		return -1;
	}
	if (status < 0)
		errno = ENOMEM;
	return status;
}
