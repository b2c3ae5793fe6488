// SPDX-License-Identifier: GPL-3.0-or-later
/* Plans range from one call to more than a machine will ever make, and from a millisecond to years;
 * a forecast deserves two or three digits. */
#include "cli/plan/plan.h"

#include <math.h>
#include <stdio.h>

#define EXACT_BELOW 9007199254740992.0 /* 2^53 */

struct numbered plan_words_count(double count)
{
	struct numbered n;

	if (count < EXACT_BELOW)
		return numbered_count((uint64_t)count);
	snprintf(n.text, sizeof(n.text), "%.3g", count);
	return n;
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
	struct numbered n;

	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		double x = ns / scales[i].unit;

		if (!(ns >= scales[i].from))
			continue;
		/* two significant digits and more before the point */
		if (x >= 1e6)
			snprintf(n.text, sizeof(n.text), "%.2g %s", x, scales[i].name);
		else
			snprintf(n.text, sizeof(n.text), "%.*f %s", x < 9.95, x, scales[i].name);
		return n;
	}
	snprintf(n.text, sizeof(n.text), ns >= 9.95e6 ? "%.0f ms" : "%.2g ms", ns / 1e6);
	return n;
}

struct numbered plan_words_duration(double ns, bool utf8)
{
	int unit = ns >= 1e9 ? 0 : ns >= 1e6 ? 1 : ns >= 1e3 ? 2 : 3;
	const char *const names[] = {"s", "ms", utf8 ? "µs" : "us", "ns"};
	struct numbered n;

	snprintf(n.text, sizeof(n.text), "%.6g %s", ns / pow(1000, 3 - unit), names[unit]);
	return n;
}

struct numbered plan_words_percent(double share)
{
	double percent = 100 * share;
	struct numbered n;

	snprintf(n.text, sizeof(n.text),
		 percent >= 1000   ? "%.1e %%"
		 : percent >= 99.5 ? "%.0f %%"
				   : "%.2g %%",
		 percent);
	return n;
}

void plan_words_put(struct json_writer *w, const char *key, double count)
{
	if (fabs(count) < EXACT_BELOW && count == floor(count))
		json_write_integer(w, key, (int64_t)count);
	else
		json_write_number(w, key, count);
}
