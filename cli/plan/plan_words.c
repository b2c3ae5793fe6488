// SPDX-License-Identifier: GPL-3.0-or-later
/* Plans range from one call to more than a machine will ever make, and from a millisecond to years;
 * a forecast deserves two or three digits. */
#include "cli/plan/plan.h"

#include <math.h>

#define EXACT_BELOW 9007199254740992.0 /* 2^53 */

struct numbered plan_words_count(double count)
{
	return count < EXACT_BELOW ? numbered_count((uint64_t)count) : numbered_text("%.3g", count);
}

struct numbered plan_words_time(double ns)
{
	static const struct {
		double from, unit;
		const char *name;
	} scales[] = {{2 * 365.25 * 86400e9, 365.25 * 86400e9, "years"},
		      {2 * 86400e9, 86400e9, "days"},
		      {2 * 3600e9, 3600e9, "hours"},
		      {600e9, 60e9, "minutes"},
		      {0.9995e9, 1e9, "s"}};

	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		double x = ns / scales[i].unit;

		if (!(ns >= scales[i].from))
			continue;
		/* two significant digits and more before the point */
		if (x >= 1e6)
			return numbered_text("%.2g %s", x, scales[i].name);
		return numbered_text("%.*f %s", x < 9.95, x, scales[i].name);
	}
	return numbered_text(ns >= 9.95e6 ? "%.0f ms" : "%.2g ms", ns / 1e6);
}

struct numbered plan_words_duration(double ns, bool utf8)
{
	int unit = ns >= 1e9 ? 0 : ns >= 1e6 ? 1 : ns >= 1e3 ? 2 : 3;
	const char *const names[] = {"s", "ms", utf8 ? "µs" : "us", "ns"};

	return numbered_text("%.6g %s", ns / pow(1000, 3 - unit), names[unit]);
}

struct numbered plan_words_percent(double share)
{
	double percent = 100 * share;

	return numbered_text(percent >= 1000   ? "%.1e %%"
			     : percent >= 99.5 ? "%.0f %%"
					       : "%.2g %%",
			     percent);
}

void plan_words_put(struct json_writer *w, const char *key, double count)
{
	if (fabs(count) < EXACT_BELOW && count == floor(count))
		json_write_integer(w, key, (int64_t)count);
	else
		json_write_number(w, key, count);
}
