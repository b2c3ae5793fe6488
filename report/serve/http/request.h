// SPDX-License-Identifier: GPL-3.0-or-later
/* What a request asks for, from its request line and Host header. Pure functions, so that they
 * can be fuzzed. Nothing is guessed: what is not understood is refused, with a text that says
 * what is valid. */
#ifndef SCPROF_REPORT_SERVE_HTTP_REQUEST_H
#define SCPROF_REPORT_SERVE_HTTP_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "report/serve/pages/index.h"
#include "report/serve/sums/label.h"

#define REQUEST_URI_BYTES 2048

enum request_route {
	REQUEST_INDEX,
	REQUEST_STYLE,
	REQUEST_SERVICE,
	REQUEST_PROFILE,
	REQUEST_METRICS,
	REQUEST_PPROF,
	REQUEST_HEALTH,
	REQUEST_ATTACH /* the only one by POST */
};

struct request {
	unsigned status; /* 200, or why not: 400, 403, 404, 405, 411, 413, 414 */
	char problem[256];
	enum request_route route;
	char service[LABEL_BYTES];    /* "": all */
	char file[REQUEST_URI_BYTES]; /* of /profile; else "" */
	uint32_t clock;		      /* enum scp_clock_kind; NONE: not named */
	double seconds;		      /* of /debug/pprof/profile, and of /attach */
	uint32_t pid;		      /* of /attach */
	char groups[128];	      /* likewise; "": the default */
	bool children;		      /* likewise */
	struct index_order order;     /* of the processes on / */
	unsigned refresh;	      /* seconds until the page reloads; 0: never */
};

#define REQUEST_BODY_MOST	65536 /* bytes, which say nothing here and are dropped */
#define REQUEST_SECONDS_DEFAULT 30
#define REQUEST_SECONDS_MOST	3600
#define REQUEST_ATTACH_DEFAULT	10
#define REQUEST_ATTACH_MOST	300

/* `uri` is as it came, undecoded, with its query. host NULL: none was sent. `loopback`: the
 * server listens on such an address, and only such names of it are heard. */
void request_parse(struct request *r, const char *method, const char *uri, const char *host,
		   bool loopback);

/* Refuse (403) what a page of another site asks for behind its reader's back: `site` and `dest` are
 * the headers Sec-Fetch-Site and Sec-Fetch-Dest, NULL: not sent (Fetch Metadata, W3C). A link that
 * a reader follows from elsewhere opens a document, and is answered. */
void request_check_site(struct request *r, const char *site, const char *dest);

/* What matters of the headers beyond their values. */
struct request_head {
	unsigned hosts;	    /* Host headers */
	bool hidden;	    /* text that is in no header: behind a NUL byte, or in a folded line */
	const char *length; /* Content-Length, Transfer-Encoding; NULL: not sent */
	const char *encoding; /* likewise */
};

/* Refuse, whatever was found before, what two readers could understand in two ways (400: hidden
 * text, two Host headers), and a body that is not waited for (411, 413). */
void request_check_head(struct request *r, const struct request_head *head);

/* Is OpenMetrics (1.0.0 or 0.0.1) preferred to the text format 0.0.4 by the header Accept (RFC
 * 9110, 12.5.1)? The best quality given for each decides; OpenMetrics wins a tie, since nobody
 * names it by accident. A wildcard means the text format, and so does a header that is not sent
 * (NULL) or not understood. */
bool request_wants_openmetrics(const char *accept);

/* Does a Host header name a loopback address? "localhost", 127.x.y.z or [::1], with or without a
 * port. In a DNS rebinding attack, the header has the attacker's name. */
bool request_host_is_loopback(const char *host);

#endif
