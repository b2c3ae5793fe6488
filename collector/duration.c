// SPDX-License-Identifier: GPL-3.0-or-later
/* Parsing is done in integers, so that "0.3ms" is 300000 ns and not one less,
 * and every text that is not wholly understood is refused: a tick of 1 s where
 * 1 ms was meant would cost somebody a day. */
#include "collector/duration.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{"s", 1000000000},
	{"ms", 1000000},
	{"us", 1000},
	{"ns", 1},
};
#define UNITS (sizeof(units) / sizeof(*units))

static int fail(int error)
{
	errno = error;
	return -1;
}

/* Reads digits at *text into *value and moves on; how many, or -1: too large. */
static int read_digits(const char **text, uint64_t *value)
{
	int digits = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++, digits++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**text - '0'), value))
			return -1;
	return digits;
}

int duration_parse(const char *text, uint64_t *ns)
{
	uint64_t whole = 0, fraction = 0, scale = 1, part, total;
	int digits = read_digits(&text, &whole), decimals = 0;

	if (!digits)
		return fail(EINVAL);
	if (digits > 0 && *text == '.') {
		text++;
		decimals = read_digits(&text, &fraction);
		if (!decimals)
			return fail(EINVAL);
	}
	if (digits < 0 || decimals < 0 || decimals > 18)
		return fail(ERANGE);
	const struct unit *unit = units;
	while (unit < units + UNITS && strcmp(text, unit->name) != 0)
		unit++;
	if (unit == units + UNITS)
		return fail(EINVAL);
	for (int i = 0; i < decimals; i++)
		scale *= 10;
	unsigned __int128 scaled = (unsigned __int128)fraction * unit->ns;
	if (scaled % scale)
		return fail(ERANGE);
	part = (uint64_t)(scaled / scale);
	if (__builtin_mul_overflow(whole, unit->ns, &total) ||
	    __builtin_add_overflow(total, part, &total))
		return fail(ERANGE);
	*ns = total;
	return 0;
}

void duration_print_exact(uint64_t ns, char *text, size_t size)
{
	size_t i = 0;

	while (i + 1 < UNITS && (ns % units[i].ns || !ns))
		i++;
	snprintf(text, size, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
}

void duration_print(double ns, char *text, size_t size)
{
	size_t i = 0;

	if (isnan(ns)) {
		snprintf(text, size, "-");
		return;
	}
	/* 999.5 is where three digits round up to the next unit */
	while (i + 1 < UNITS && fabs(ns) < 0.9995 * (double)units[i].ns)
		i++;
	snprintf(text, size, "%.3g %s", ns / (double)units[i].ns, units[i].name);
}
