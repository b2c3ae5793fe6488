// SPDX-License-Identifier: GPL-3.0-or-later
/* Plans range from one call to more than a machine will ever make, and from a millisecond to years;
 * a forecast deserves two or three digits. */
#include "cli/plan/plan.h"

#include <math.h>
#include <stdio.h>

#include "report/wording/numbers.h"

#define EXACT_BELOW 9007199254740992.0 /* 2^53 */

void plan_words_count(char *out, size_t room, double count)
{
	if (count < EXACT_BELOW)
		numbers_count(out, room, (uint64_t)count);
	else
		snprintf(out, room, "%.3g", count);
}

struct scale {
	double from, unit;
	const char *name;
};

/* Two significant digits and more before the point. */
static void put_scaled(char *out, size_t room, double value, const struct scale *s)
{
	double x = value / s->unit;

	if (x >= 1e6)
		snprintf(out, room, "%.2g %s", x, s->name);
	else
		snprintf(out, room, "%.*f %s", x < 9.95 ? 1 : 0, x, s->name);
}

void plan_words_time(char *out, size_t room, double ns)
{
	static const struct scale scales[] = {{2 * 365.25 * 86400e9, 365.25 * 86400e9, "years"},
					      {2 * 86400e9, 86400e9, "days"},
					      {2 * 3600e9, 3600e9, "hours"},
					      {600e9, 60e9, "minutes"},
					      {0.9995e9, 1e9, "s"}};

	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++)
		if (ns >= scales[i].from) {
			put_scaled(out, room, ns, &scales[i]);
			return;
		}
	snprintf(out, room, ns >= 9.95e6 ? "%.0f ms" : "%.2g ms", ns / 1e6);
}

void plan_words_duration(char *out, size_t room, double ns, bool utf8)
{
	const struct scale scales[] = {
		{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, utf8 ? "µs" : "us"}, {0, 1, "ns"}};
	size_t i = 0;

	while (ns < scales[i].from)
		i++;
	snprintf(out, room, "%.6g %s", ns / scales[i].unit, scales[i].name);
}

void plan_words_percent(char *out, size_t room, double share)
{
	double percent = 100 * share;

	if (percent >= 1000)
		snprintf(out, room, "%.1e %%", percent);
	else if (percent >= 99.5)
		snprintf(out, room, "%.0f %%", percent);
	else
		snprintf(out, room, "%.2g %%", percent);
}

void plan_words_put(struct json_writer *w, const char *key, double count)
{
	if (fabs(count) < EXACT_BELOW && count == floor(count))
		json_write_integer(w, key, (int64_t)count);
	else
		json_write_number(w, key, count);
}
