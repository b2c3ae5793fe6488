// SPDX-License-Identifier: GPL-3.0-or-later
/* The best quality given for each format; OpenMetrics wins a tie, since nobody names it by
 * accident. */
#include "serve/http/negotiate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

bool negotiate_openmetrics(const char *accept)
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
