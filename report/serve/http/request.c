// SPDX-License-Identifier: GPL-3.0-or-later
/* One pass over the path, one over each parameter. */
#include "report/serve/http/request.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "collector/duration.h"
#include "report/report.h"

__attribute__((format(printf, 3, 4))) static bool refuse(struct request *r, unsigned status,
							 const char *format, ...)
{
	va_list args;

	r->status = status;
	va_start(args, format);
	vsnprintf(r->problem, sizeof(r->problem), format, args);
	va_end(args);
	return false;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* -1: a broken escape, a NUL, or too long. In a query '+' is a space. */
static int decode(char *out, size_t room, const char *text, size_t length, bool query)
{
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		int c = (unsigned char)text[i];

		if (c == '%') {
			int high = length - i > 2 ? hex(text[i + 1]) : -1;
			int low = length - i > 2 ? hex(text[i + 2]) : -1;

			if (high < 0 || low < 0)
				return -1;
			c = high << 4 | low;
			i += 2;
		} else if (c == '+' && query) {
			c = ' ';
		}
		if (!c || used + 1 >= room)
			return -1;
		out[used++] = (char)c;
	}
	out[used] = '\0';
	return 0;
}

static bool take_route(struct request *r, const char *uri, size_t length)
{
	static const struct {
		const char *path;
		enum request_route route;
	} routes[] = {{"/", REQUEST_INDEX},	     {"/style.css", REQUEST_STYLE},
		      {"/service", REQUEST_SERVICE}, {"/profile", REQUEST_PROFILE},
		      {"/metrics", REQUEST_METRICS}, {"/debug/pprof/profile", REQUEST_PPROF},
		      {"/healthz", REQUEST_HEALTH},  {"/attach", REQUEST_ATTACH}};
	char path[64];

	if (decode(path, sizeof(path), uri, length, false) == 0)
		for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
			if (!strcmp(path, routes[i].path)) {
				r->route = routes[i].route;
				return true;
			}
	return refuse(r, 404,
		      "no such page; there are /, /service, /profile, /metrics, "
		      "/debug/pprof/profile and /healthz, and /attach for POST");
}

/* A decimal number without sign or exponent, at most 9 characters. */
static bool number(const char *text, double *value)
{
	size_t length = strlen(text), dots = 0;

	for (size_t i = 0; i < length; i++) {
		dots += text[i] == '.';
		if (text[i] != '.' && !isdigit((unsigned char)text[i]))
			return false;
	}
	if (!length || length > 9 || dots > 1 || length == dots)
		return false;
	*value = strtod(text, NULL);
	return true;
}

static bool take_clock(struct request *r, const char *value)
{
	for (uint32_t kind = SCP_CLOCK_TSC; kind < SCP_CLOCK_DUAL; kind++)
		if (!strcmp(value, report_names_clock(kind))) {
			r->clock = kind;
			return true;
		}
	return refuse(r, 400, "no such clock; there are tsc, coarse, monotonic, page, thread-cpu");
}

/* "calls", or "-calls": the other way round. */
static bool take_order(struct request *r, const char *value)
{
	bool reversed = *value == '-';

	for (unsigned i = 0; i < INDEX_COLUMNS; i++)
		if (!strcmp(value + reversed, index_column_names[i])) {
			r->order = (struct index_order){i, reversed};
			return true;
		}
	return refuse(r, 400,
		      "no such column; there are program, state, calls, cpu, wall, started, pid");
}

/* Words of small letters, separated by commas. */
static bool take_groups(struct request *r, const char *value)
{
	if (strlen(value) >= sizeof(r->groups) ||
	    value[strspn(value, "abcdefghijklmnopqrstuvwxyz,")])
		return refuse(r, 400, "groups: names as scprof attach -g takes them");
	strcpy(r->groups, value);
	return true;
}

static bool take_attach(struct request *r, const char *name, const char *value)
{
	double pid;
	uint64_t ns;

	if (!strcmp(name, "pid")) {
		r->pid = number(value, &pid) && !strchr(value, '.') && pid >= 1 ? (uint32_t)pid : 0;
		return r->pid || refuse(r, 400, "pid: the number of a process");
	}
	if (!strcmp(name, "for")) {
		if (duration_parse(value, &ns) || ns < 1000000u ||
		    ns > REQUEST_ATTACH_MOST * UINT64_C(1000000000))
			return refuse(r, 400, "for: a time of at most %d s, such as 10s",
				      REQUEST_ATTACH_MOST);
		r->seconds = (double)ns / 1e9;
		return true;
	}
	if (!strcmp(name, "children") && (!strcmp(value, "0") || !strcmp(value, "1"))) {
		r->children = *value == '1';
		return true;
	}
	if (!strcmp(name, "groups"))
		return take_groups(r, value);
	if (!strcmp(name, "clock"))
		return take_clock(r, value);
	return refuse(r, 400, "there are pid, for, groups, clock and children=1");
}

static bool take_parameter(struct request *r, const char *name, const char *value)
{
	bool service = r->route == REQUEST_SERVICE, pprof = r->route == REQUEST_PPROF;
	double seconds;

	if (r->route == REQUEST_ATTACH)
		return take_attach(r, name, value);
	if (r->route == REQUEST_INDEX && !strcmp(name, "sort"))
		return take_order(r, value);

	if ((service || pprof) && !strcmp(name, "service")) {
		if (strlen(value) < sizeof(r->service)) {
			strcpy(r->service, value);
			return true;
		}
		return refuse(r, 400, "no service has so long a name");
	}
	if (r->route == REQUEST_PROFILE && !strcmp(name, "file")) {
		snprintf(r->file, sizeof(r->file), "%s", value);
		return true;
	}
	if ((service || pprof) && !strcmp(name, "clock"))
		return take_clock(r, value);
	if (pprof && !strcmp(name, "seconds")) {
		if (number(value, &r->seconds) && r->seconds <= REQUEST_SECONDS_MOST)
			return true;
		return refuse(r, 400,
			      "seconds: a number from 0 (all since the processes began) to %d",
			      REQUEST_SECONDS_MOST);
	}
	if (pprof && !strcmp(name, "debug") && !strcmp(value, "0"))
		return true;
	if (service && !strcmp(name, "refresh")) {
		if (number(value, &seconds) && seconds >= 1 && seconds <= 86400) {
			r->refresh = (unsigned)seconds;
			return true;
		}
		return refuse(r, 400, "refresh: a number of seconds from 1 to 86400");
	}
	return refuse(r, 400, "this page has no such parameter");
}

static bool take_query(struct request *r, const char *query)
{
	char name[32], value[REQUEST_URI_BYTES];

	while (*query) {
		size_t length = strcspn(query, "&"), equals = strcspn(query, "=&");
		const char *text = query + equals + (equals < length);

		if (length &&
		    (decode(name, sizeof(name), query, equals, true) ||
		     decode(value, sizeof(value), text, (size_t)(query + length - text), true)))
			return refuse(r, 400,
				      "a parameter is too long, or a %% is not followed by two "
				      "hexadecimal digits");
		if (length && !take_parameter(r, name, value))
			return false;
		query += length + (query[length] == '&');
	}
	if (r->route == REQUEST_SERVICE && !*r->service)
		return refuse(r, 400, "which service? /service?service=NAME; / lists them");
	if (r->route == REQUEST_PROFILE && !*r->file)
		return refuse(r, 400, "which file? /profile?file=PATH; / lists them");
	if (r->route == REQUEST_ATTACH && !r->pid)
		return refuse(r, 400, "which process? /attach?pid=N&for=10s");
	return true;
}

/* 127.x.y.z: four numbers, none above 255. */
static bool is_127(const char *text, size_t length)
{
	unsigned parts = 0, value = 0, digits = 0;

	for (size_t i = 0; i <= length; i++) {
		if (i < length && isdigit((unsigned char)text[i])) {
			value = 10 * value + (unsigned)(text[i] - '0');
			if (++digits > 3 || value > 255)
				return false;
			continue;
		}
		if ((i < length && text[i] != '.') || !digits || (parts == 0 && value != 127))
			return false;
		parts++;
		value = digits = 0;
	}
	return parts == 4;
}

bool request_host_is_loopback(const char *host)
{
	size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
	const char *port;

	if (length > strlen(host))
		return false;
	port = host + length;
	if (*port == ':')
		port += 1 + strspn(port + 1, "0123456789");
	if (*port)
		return false;
	if (length == 9 && !strncasecmp(host, "localhost", 9))
		return true;
	if (length == 5 && !strncmp(host, "[::1]", 5))
		return true;
	return is_127(host, length);
}

void request_parse(struct request *r, const char *method, const char *uri, const char *host,
		   bool loopback)
{
	bool post = !strcmp(method, "POST");
	size_t length;

	*r = (struct request){
		.status = 200, .seconds = REQUEST_SECONDS_DEFAULT, .order = {INDEX_STARTED, false}};
	if (!post && strcmp(method, "GET") && strcmp(method, "HEAD")) {
		refuse(r, 405, "only GET and HEAD");
		return;
	}
	if (loopback && host && !request_host_is_loopback(host)) {
		refuse(r, 403,
		       "this server is for this machine only: ask for it as localhost or 127.0.0.1 "
		       "(the Host header names something else)");
		return;
	}
	if (strlen(uri) >= REQUEST_URI_BYTES) {
		refuse(r, 414, "the address is longer than %d bytes", REQUEST_URI_BYTES - 1);
		return;
	}
	length = strcspn(uri, "?#");
	if (*uri != '/') {
		refuse(r, 400, "the address does not begin with /");
		return;
	}
	if (take_route(r, uri, length) && post != (r->route == REQUEST_ATTACH))
		refuse(r, 405, post ? "only GET and HEAD" : "only POST");
	else if (r->route == REQUEST_ATTACH)
		r->seconds = REQUEST_ATTACH_DEFAULT;
	if (r->status == 200 && uri[length] == '?')
		take_query(r, uri + length + 1);
	else if (r->status == 200)
		take_query(r, "");
}

void request_check_site(struct request *r, const char *site, const char *dest)
{
	if (r->status != 200 || !site || strcasecmp(site, "cross-site"))
		return;
	if (dest && !strcasecmp(dest, "document"))
		return;
	refuse(r, 403, "a page of another site asked for this; open it by its address");
}

void request_check_head(struct request *r, const struct request_head *head)
{
	size_t digits = head->length ? strspn(head->length, "0123456789") : 0;

	if (head->hidden)
		refuse(r, 400, "a header has a NUL byte in it, or goes on in a second line");
	else if (head->hosts > 1)
		refuse(r, 400, "there are %u Host headers", head->hosts);
	else if (head->encoding)
		refuse(r, 411, "nothing here takes a body; send none");
	else if (head->length && (head->length[digits] || digits > 9 ||
				  strtoul(head->length, NULL, 10) > REQUEST_BODY_MOST))
		refuse(r, 413, "nothing here takes a body; send none");
}

static size_t skip_space(const char *s)
{
	return strspn(s, " \t");
}

static bool is_type(const char *item, const char *type)
{
	size_t length = strlen(type);

	item += skip_space(item);
	return !strncasecmp(item, type, length) && strchr(" \t;,", item[length]);
}

/* The item's value of a parameter, without quotes; false: it has none. */
static bool parameter(const char *item, size_t length, const char *name, char out[16])
{
	const char *end = item + length, *at = memchr(item, ';', length);

	while (at && at < end) {
		size_t used = 0;

		at += 1 + skip_space(at + 1);
		if (!strncasecmp(at, name, strlen(name)) && at[strlen(name)] == '=') {
			at += strlen(name) + 1;
			for (; at < end && !strchr(" \t;,", *at) && used < 15; at++)
				if (*at != '"')
					out[used++] = *at;
			out[used] = '\0';
			return true;
		}
		at = at < end ? memchr(at, ';', (size_t)(end - at)) : NULL;
	}
	return false;
}

/* 0 to 1; 1 where none is given, 0 where it is not a number. */
static double quality(const char *item, size_t length)
{
	char text[16], *rest;
	double q;

	if (!parameter(item, length, "q", text))
		return 1;
	q = strtod(text, &rest);
	return rest != text && q >= 0 && q <= 1 ? q : 0;
}

static bool known_version(const char *item, size_t length)
{
	char version[16];

	return !parameter(item, length, "version", version) || !strcmp(version, "1.0.0") ||
	       !strcmp(version, "0.0.1");
}

bool request_wants_openmetrics(const char *accept)
{
	double open = 0, text = 0;

	while (accept && *accept) {
		size_t length = strcspn(accept, ",");
		double q = quality(accept, length);

		if (is_type(accept, "application/openmetrics-text")) {
			if (known_version(accept, length) && q > open)
				open = q;
		} else if (is_type(accept, "text/plain") || is_type(accept, "text/*") ||
			   is_type(accept, "*/*")) {
			text = q > text ? q : text;
		}
		accept += length + (accept[length] == ',');
	}
	return open > 0 && open >= text;
}
