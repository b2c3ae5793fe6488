// SPDX-License-Identifier: Apache-2.0
/* A few words of the environment, read without libc. */
#include "preload/process/settings.h"
#include "preload/system/glob.h"
#include "include/scprof_format.h"

static bool read_count(const char *text, uint32_t *count)
{
	uint64_t v;
	long digits = text_number(text, 0, TEXT_DIGITS, &v);
	*count = v <= SCP_SLOWEST_MAX ? (uint32_t)v : 0;
	return !text[digits] && *count;
}

static uint64_t unit_ns(const char *name)
{
	static const struct {
		char name[3];
		uint32_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
		if (text_equal(name, units[i].name))
			return units[i].ns;
	return 0;
}

/* Digits, perhaps a point and more of them, and a unit; as collector/duration.h. */
static bool read_duration(const char *text, uint64_t *ns)
{
	uint64_t v = 0, scale = 1;
	bool point = false, digit = false;
	for (; (*text >= '0' && *text <= '9') || (*text == '.' && digit && !point); text++) {
		point |= *text == '.';
		digit = *text != '.';
		if (!digit)
			continue;
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v) ||
		    scale > UINT64_MAX / 10)
			return false;
		scale *= point ? 10 : 1;
	}
	uint64_t unit = unit_ns(text);
	if (!digit || !unit || __builtin_mul_overflow(v, unit, &v) || v % scale)
		return false;
	*ns = v / scale;
	return true;
}

void slowest_settings_read(const char *count, const char *least, const char *patterns,
			   struct slowest_settings *out)
{
	bool sound = true;
	out->count = 0;
	out->unread = false;
	out->least_ns = 0;
	out->patterns[0] = 0;
	if (!count && !least && !patterns)
		return;
	out->count = SLOWEST_DEFAULT;
	if (count)
		sound = read_count(count, &out->count);
	if (least)
		sound = read_duration(least, &out->least_ns) && sound;
	if (patterns) {
		sound = text_length(patterns) < sizeof out->patterns && sound;
		text_append(out->patterns, sizeof out->patterns, 0, patterns);
	}
	if (!sound) {
		out->count = 0;
		out->unread = true;
	}
}

static bool matches(const char *p, const char *end, const char *name, const char *library)
{
	const char *part = glob_name_part(p, end);
	return (part == p || glob_matches(p, (size_t)(part - 1 - p), library)) &&
	       glob_matches(part, (size_t)(end - part), name);
}

static bool waits_by_trade(const char *name, uint32_t group)
{
	return group == SCP_GROUP_WAIT ||
	       ((group & SCP_GROUP_SOCKET) &&
		(text_equal(name, "accept") || text_equal(name, "accept4")));
}

bool slowest_settings_want(const struct slowest_settings *s, const char *name, const char *library,
			   uint32_t group)
{
	const char *p = s->patterns;
	bool want = (!*p || *p == '!') && !waits_by_trade(name, group);
	while (*p) {
		bool takes_out = *p == '!';
		p += takes_out;
		const char *end = p + text_part(p, ',');
		if (end > p && matches(p, end, name, library))
			want = !takes_out;
		p = end + (*end == ',');
	}
	return want;
}
