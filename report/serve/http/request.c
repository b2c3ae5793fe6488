// SPDX-License-Identifier: GPL-3.0-or-later
/* A table says which page has which parameters. */
#include "report/serve/http/http_private.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "collector/duration.h"
#include "report/report.h"

__attribute__((format(printf, 3, 4))) static void refuse(struct request *r, unsigned status,
							 const char *format, ...)
{
	r->status = status;
	FORMAT_BY(vsnprintf, r->problem, sizeof(r->problem), format);
}

/* A decimal number without sign or exponent, at most 9 characters. */
static bool number(const char *text, double *value)
{
	size_t length = strspn(text, "0123456789.");
	char *rest;

	*value = strtod(text, &rest);
	return length && length <= 9 && !text[length] && rest == text + length;
}

static void take_service(struct request *r, const char *value)
{
	r->service = value;
}

static void take_file(struct request *r, const char *value)
{
	r->file = value;
}

static void take_clock(struct request *r, const char *value)
{
	for (uint32_t kind = SCP_CLOCK_TSC; kind < SCP_CLOCK_DUAL; kind++)
		if (!strcmp(value, report_names_clock(kind)))
			r->clock = kind;
	if (!r->clock)
		refuse(r, 400, "no such clock; there are tsc, coarse, monotonic, page, thread-cpu");
}

/* "calls", or "-calls": the other way round. */
static void take_order(struct request *r, const char *value)
{
	bool reversed = *value == '-';

	for (unsigned i = 0; i < INDEX_COLUMNS; i++)
		if (!strcmp(value + reversed, index_column_names[i])) {
			r->order = (struct index_order){i, reversed};
			return;
		}
	refuse(r, 400, "no such column; there are program, state, calls, cpu, wall, started, pid");
}

static void take_seconds(struct request *r, const char *value)
{
	if (!number(value, &r->seconds) || r->seconds > REQUEST_SECONDS_MOST)
		refuse(r, 400, "seconds: a number from 0 (all since the processes began) to %d",
		       REQUEST_SECONDS_MOST);
}

/* Readers of pprof send it: 0 is the format that is always sent here. */
static void take_debug(struct request *r, const char *value)
{
	if (strcmp(value, "0"))
		refuse(r, 400, "debug: 0");
}

static void take_refresh(struct request *r, const char *value)
{
	double seconds;

	if (number(value, &seconds) && seconds >= 1 && seconds <= 86400)
		r->refresh = (unsigned)seconds;
	else
		refuse(r, 400, "refresh: a number of seconds from 1 to 86400");
}

static void take_pid(struct request *r, const char *value)
{
	double pid;

	if (number(value, &pid) && !strchr(value, '.') && pid >= 1)
		r->pid = (uint32_t)pid;
	else
		refuse(r, 400, "pid: the number of a process");
}

static void take_for(struct request *r, const char *value)
{
	uint64_t ns;

	if (duration_parse(value, &ns) || ns < 1000000u ||
	    ns > REQUEST_ATTACH_MOST * UINT64_C(1000000000))
		refuse(r, 400, "for: a time of at most %d s, such as 10s", REQUEST_ATTACH_MOST);
	else
		r->seconds = (double)ns / 1e9;
}

static void take_children(struct request *r, const char *value)
{
	r->children = !strcmp(value, "1");
	if (!r->children && strcmp(value, "0"))
		refuse(r, 400, "children: 0 or 1");
}

/* Words of small letters, separated by commas. */
static void take_groups(struct request *r, const char *value)
{
	r->groups = value;
	if (strlen(value) > 127 || value[strspn(value, "abcdefghijklmnopqrstuvwxyz,")])
		refuse(r, 400, "groups: names as scprof attach -g takes them");
}

#define OF(route) (1u << REQUEST_##route)

static const struct {
	const char *path, *parameters;
} routes[] = {
	[REQUEST_INDEX] = {"/", "sort"},
	[REQUEST_STYLE] = {"/style.css", "none"},
	[REQUEST_SERVICE] = {"/service", "service, clock and refresh"},
	[REQUEST_PROFILE] = {"/profile", "file"},
	[REQUEST_METRICS] = {"/metrics", "none"},
	[REQUEST_PPROF] = {"/debug/pprof/profile", "seconds, service, clock and debug=0"},
	[REQUEST_HEALTH] = {"/healthz", "none"},
	[REQUEST_ATTACH] = {"/attach", "pid, for, groups, clock and children=1"},
};

static const struct {
	unsigned routes;
	const char *name;
	void (*take)(struct request *r, const char *value);
} parameters[] = {
	{OF(INDEX), "sort", take_order},
	{OF(SERVICE) | OF(PPROF), "service", take_service},
	{OF(SERVICE) | OF(PPROF) | OF(ATTACH), "clock", take_clock},
	{OF(SERVICE), "refresh", take_refresh},
	{OF(PROFILE), "file", take_file},
	{OF(PPROF), "seconds", take_seconds},
	{OF(PPROF), "debug", take_debug},
	{OF(ATTACH), "pid", take_pid},
	{OF(ATTACH), "for", take_for},
	{OF(ATTACH), "children", take_children},
	{OF(ATTACH), "groups", take_groups},
};

void request_add(struct request *r, const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters) && r->status == 200; i++)
		if (parameters[i].routes & 1u << r->route && !strcmp(name, parameters[i].name)) {
			parameters[i].take(r, value ? value : "");
			return;
		}
	if (r->status == 200)
		refuse(r, 400, "this page has no such parameter; there are: %s",
		       routes[r->route].parameters);
}

void request_end(struct request *r)
{
	if (r->status != 200)
		return;
	if (r->route == REQUEST_SERVICE && !*r->service)
		refuse(r, 400, "which service? /service?service=NAME; / lists them");
	if (r->route == REQUEST_PROFILE && !*r->file)
		refuse(r, 400, "which file? /profile?file=PATH; / lists them");
	if (r->route == REQUEST_ATTACH && !r->pid)
		refuse(r, 400, "which process? /attach?pid=N&for=10s");
}

bool request_host_is_loopback(const char *host)
{
	size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
	const char *port = host + strnlen(host, length);
	char name[16];
	struct in_addr four;

	if (*port == ':')
		port += 1 + strspn(port + 1, "0123456789");
	if (*port || length >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)length, host);
	return !strcasecmp(name, "localhost") || !strcmp(name, "[::1]") ||
	       (inet_pton(AF_INET, name, &four) == 1 && ntohl(four.s_addr) >> 24 == 127);
}

static void take_route(struct request *r, const char *path, bool post)
{
	for (unsigned i = 0; i < sizeof(routes) / sizeof(*routes); i++)
		if (!strcmp(path, routes[i].path)) {
			r->route = i;
			if (post != (i == REQUEST_ATTACH))
				refuse(r, 405, post ? "only GET and HEAD" : "only POST");
			return;
		}
	refuse(r, 404,
	       "no such page; there are /, /service, /profile, /metrics, /debug/pprof/profile and "
	       "/healthz, and /attach for POST");
}

void request_begin(struct request *r, const char *method, const char *path, const char *host,
		   bool loopback)
{
	bool post = !strcmp(method, "POST");

	*r = (struct request){.status = 200,
			      .service = "",
			      .file = "",
			      .groups = "",
			      .seconds = REQUEST_SECONDS_DEFAULT,
			      .order = {INDEX_STARTED, false}};
	if (!post && strcmp(method, "GET") && strcmp(method, "HEAD"))
		refuse(r, 405, "only GET and HEAD");
	else if (loopback && host && !request_host_is_loopback(host))
		refuse(r, 403,
		       "this server is for this machine only: ask for it as localhost or 127.0.0.1 "
		       "(the Host header names something else)");
	else
		take_route(r, path, post);
	if (r->route == REQUEST_ATTACH)
		r->seconds = REQUEST_ATTACH_DEFAULT;
}

void request_check_site(struct request *r, const char *site, const char *dest)
{
	if (r->status != 200 || !site || strcasecmp(site, "cross-site"))
		return;
	if (dest && !strcasecmp(dest, "document"))
		return;
	refuse(r, 403, "a page of another site asked for this; open it by its address");
}
