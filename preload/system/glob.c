// SPDX-License-Identifier: Apache-2.0
/* A star remembers where it stands; what comes after it is tried at each later place in turn. Only
 * the latest star can need another try, so no stack of them is kept. */
#include "preload/system/glob.h"

/* The set at p[0] == '[': does it hold `c`? Returns the place after ']', or NULL: it is no set. */
static const char *match_set(const char *p, const char *end, char c, bool *in)
{
	bool negated = p + 1 < end && (p[1] == '!' || p[1] == '^');
	const char *first = p + 1 + negated, *at = first;
	*in = false;
	for (; at < end && (*at != ']' || at == first); at++) {
		char low = *at;
		if (low == '\\' && at + 1 < end)
			low = *++at;
		char high = low;
		if (at + 2 < end && at[1] == '-' && at[2] != ']') {
			high = at[2];
			at += 2;
		}
		*in |= (unsigned char)c >= (unsigned char)low &&
		       (unsigned char)c <= (unsigned char)high;
	}
	if (at >= end)
		return NULL;
	*in ^= negated;
	return at + 1;
}

/* One element of the pattern, no star, against one character. NULL: it does not match. */
static const char *match_one(const char *p, const char *end, char c)
{
	bool in;
	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		const char *after = match_set(p, end, c, &in);
		if (after)
			return in ? after : NULL;
	}
	if (*p == '\\' && p + 1 < end)
		p++;
	return *p == c ? p + 1 : NULL;
}

bool glob_matches(const char *pattern, size_t length, const char *name)
{
	const char *p = pattern, *end = pattern + length;
	const char *star = NULL, *retry = NULL;
	while (*name) {
		const char *after = NULL;
		if (p < end && *p == '*') {
			star = ++p;
			retry = name;
			continue;
		}
		if (p < end)
			after = match_one(p, end, *name);
		if (after) {
			p = after;
			name++;
		} else if (star) {
			p = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

bool glob_list_matches(const char *list, const char *name)
{
	while (*list) {
		size_t n = 0, set = 0;
		for (; list[n] && (list[n] != ',' || set); n++)
			set = list[n] == '[' ? 1 : list[n] == ']' ? 0 : set;
		if (set) /* an unclosed bracket is one character of many */
			for (n = 0; list[n] && list[n] != ','; n++)
				;
		if (n && glob_matches(list, n, name))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

const char *glob_name_part(const char *pattern, const char *end)
{
	for (const char *at = pattern; at < end; at++) {
		if (*at != ':')
			continue;
		if (at + 1 == end || at[1] != ':')
			return at + 1;
		at++;
	}
	return pattern;
}
