// SPDX-License-Identifier: Apache-2.0
/* A star remembers where it stands; what comes after it is tried at each later place in turn. Only
 * the latest star can need another try, so no stack of them is kept. */
#include "preload/system/glob.h"

bool glob_matches(const char *pattern, size_t length, const char *name)
{
	const char *p = pattern, *end = pattern + length;
	const char *star = NULL, *retry = NULL;
	while (*name) {
		if (p < end && *p == '*') {
			star = ++p;
			retry = name;
		} else if (p < end && (*p == '?' || *p == *name)) {
			p++;
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
		size_t n = text_part(list, ',');
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
