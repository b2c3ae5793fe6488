// SPDX-License-Identifier: GPL-3.0-or-later
/* Which of two formats does a scraper want? Pure. */
#ifndef SCPROF_SERVE_HTTP_NEGOTIATE_H
#define SCPROF_SERVE_HTTP_NEGOTIATE_H

#include <stdbool.h>

/* By the Accept header (RFC 9110, 12.5.1): true where OpenMetrics (1.0.0 or 0.0.1) is preferred
 * to the text format 0.0.4; false too where there is no header (NULL), or it is not understood.
 * A wildcard means the text format. */
bool negotiate_openmetrics(const char *accept);

#endif
