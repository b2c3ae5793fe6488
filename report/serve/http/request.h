// SPDX-License-Identifier: GPL-3.0-or-later
/* Checks of a request that libmicrohttpd has parsed and decoded. Pure functions, so that they can
 * be fuzzed. Nothing is guessed: what is not understood is refused, with a text that says what is
 * valid. */
#ifndef SCPROF_REPORT_SERVE_HTTP_REQUEST_H
#define SCPROF_REPORT_SERVE_HTTP_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "report/serve/pages/index.h"

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

/* Texts are those that the functions were given. */
struct request {
	unsigned status; /* 200, or why not: 400, 403, 404, 405 */
	char problem[256];
	enum request_route route;
	const char *service;	  /* "": all */
	const char *file;	  /* of /profile; else "" */
	const char *groups;	  /* of /attach; "": the default */
	uint32_t clock;		  /* enum scp_clock_kind; NONE: not named */
	double seconds;		  /* of /debug/pprof/profile, and of /attach */
	uint32_t pid;		  /* of /attach */
	bool children;		  /* likewise */
	struct index_order order; /* of the processes on / */
	unsigned refresh;	  /* seconds until the page reloads; 0: never */
};

#define REQUEST_SECONDS_DEFAULT 30
#define REQUEST_SECONDS_MOST	3600
#define REQUEST_ATTACH_DEFAULT	10
#define REQUEST_ATTACH_MOST	300

/* `path` without its query. host NULL: none was sent. `loopback`: the server listens on such an
 * address, and only such names of it are heard. */
void request_begin(struct request *r, const char *method, const char *path, const char *host,
		   bool loopback);

/* Takes a parameter of the query; value NULL: it had none. */
void request_add(struct request *r, const char *name, const char *value);

/* There are no more parameters. */
void request_end(struct request *r);

/* Refuse (403) what a page of another site asks for behind its reader's back: `site` and `dest` are
 * the headers Sec-Fetch-Site and Sec-Fetch-Dest, NULL: not sent (Fetch Metadata, W3C). A link that
 * a reader follows from elsewhere opens a document, and is answered. */
void request_check_site(struct request *r, const char *site, const char *dest);

/* Does a Host header name a loopback address? "localhost", 127.x.y.z or [::1], with or without a
 * port. In a DNS rebinding attack, the header has the attacker's name. */
bool request_host_is_loopback(const char *host);

#endif
