// SPDX-License-Identifier: GPL-3.0-or-later
/* Formatting of quantities: units by size, digits by what is known. */
#include "report/wording/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/base/error.h"

#define MOST_BEYOND 1000 /* times the mean: a half width that decides on the unit */

struct scale {
	double ns;
	const char *utf8, *ascii;
};

static const struct scale *scale_of(double ns)
{
	static const struct scale scales[] = {
		{1e9, "s", "s"}, {1e6, "ms", "ms"}, {1e3, "µs", "us"}, {1, "ns", "ns"}};
	/* 999.96 would round up to 1000: the next unit takes it. */
	double size = fabs(ns) * 1.00005;

	for (size_t i = 0; i < 3; i++)
		if (size >= scales[i].ns)
			return &scales[i];
	return &scales[3];
}

/* Digits before the point, at least 1. */
static int whole_digits(double value)
{
	double size = fabs(value);

	return size < 10 ? 1 : (int)floor(log10(size)) + 1;
}

static int clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

void numbers_fixed(char *out, size_t room, double value, int decimals)
{
	snprintf(out, room, "%.*f", decimals, value);
	if (*out == '-' && !out[1 + strspn(out + 1, "0.")])
		memmove(out, out + 1, strlen(out));
}

double numbers_tidy(double value, int decimals)
{
	return fabs(value) <= 0.5 * pow(10, -decimals) ? 0 : value;
}

struct numbered numbered_text(const char *format, ...)
{
	struct numbered n;

	FORMAT_BY(vsnprintf, n.text, sizeof(n.text), format);
	return n;
}

double numbers_share(double part, double total)
{
	return total > 0 && !isnan(part) ? fmin(fmax(part / total, 0), 1) : NAN;
}

void numbers_append(struct words *to, const char *format, ...)
{
	size_t used = strlen(to->text);

	FORMAT_BY(vsnprintf, to->text + used, sizeof(to->text) - used, format);
}

struct numbered numbered_duration(double ns, bool utf8)
{
	const struct scale *s = scale_of(ns);
	double value = ns / s->ns;
	char digits[400];

	if (!isfinite(ns) || ns == 0)
		return numbered_text(ns == 0 ? "0 s" : "-");
	if (fabs(ns) < 0.0005) /* would read as 0 */
		return numbered_text("<0.001 ns");
	numbers_fixed(digits, sizeof(digits), value, clamp(4 - whole_digits(value), 0, 3));
	return numbered_text("%s %s", digits, utf8 ? s->utf8 : s->ascii);
}

struct numbered numbered_count(uint64_t count)
{
	struct numbered grouped;
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count), at = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			grouped.text[at++] = ',';
		grouped.text[at++] = digits[i];
	}
	grouped.text[at] = '\0';
	return grouped;
}

struct numbered numbered_bytes(uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)bytes;
	size_t i = 0;

	for (; value >= 999.5 && i < 6; i++)
		value /= 1000;
	return numbered_text("%.*f %s", i ? clamp(3 - whole_digits(value), 0, 2) : 0, value,
			     units[i]);
}

struct numbered numbered_share(double share)
{
	if (!isfinite(share))
		return numbered_text("-");
	if (share != 0 && fabs(share) < 0.0005)
		return numbered_text("<0.1 %%");
	return numbered_text("%.1f %%", share == 0 ? 0 : 100 * share);
}

struct numbered numbered_limits(double low, double high)
{
	return numbered_text("%.1f to %.1f", 100 * low, 100 * high);
}

struct numbered numbered_permille(int32_t permille)
{
	int32_t all = permille < 0 ? -permille : permille;

	return numbered_text("%s%" PRId32 ".%" PRId32 " %%", permille < 0 ? "-" : "", all / 10,
			     all % 10);
}

struct numbered numbered_plain(double value)
{
	struct numbered n;

	if (!isfinite(value))
		return numbered_text("-");
	if (value != 0 && fabs(value) < 0.001)
		return numbered_text("%.1e", value);
	if (fabs(value) >= 999.5)
		return numbered_digits(value, 3);
	numbers_fixed(n.text, sizeof(n.text), value, clamp(3 - whole_digits(value), 0, 3));
	return n;
}

struct numbered numbered_digits(double value, int digits)
{
	char rounded[64];

	/* rounding may bring another digit: 999.6 */
	snprintf(rounded, sizeof(rounded), "%.*e", clamp(digits - 1, 0, 17), value);
	double shown = strtod(rounded, NULL);
	if (!isfinite(value))
		return numbered_text("-");
	if (fabs(shown) >= 1e15)
		return numbered_text("%.*g", digits, value);
	if (shown >= 1000)
		return numbered_count((uint64_t)shown);
	if (fabs(shown) >= 100)
		return numbered_text("%.*f", clamp(digits - 3, 0, 15), shown);
	return numbered_text("%.*g", digits, shown == 0 ? 0 : shown);
}

/* Two significant digits of the half width, but at most four of the mean. */
static int decimals_for(double mean, double half)
{
	int most = clamp(4 - whole_digits(mean), 0, 3), wanted;

	if (!(half > 0) || !isfinite(half))
		return most;
	wanted = 1 - (int)floor(log10(half));
	return clamp(wanted, 0, most);
}

/* More than a tenth off the middle: one half width would mislead. */
static bool is_lopsided(double mean, double low, double high)
{
	double below = mean - low, above = high - mean;

	return fabs(above - below) > 0.1 * (above + below);
}

/* Of a mean of which no digit is known. */
static struct number_mean limit_of(double high_ns, bool utf8)
{
	const struct scale *s = scale_of(high_ns);
	struct number_mean out = {.interval = ""};

	snprintf(out.mean, sizeof(out.mean), "< %.*f", high_ns / s->ns < 9.95, high_ns / s->ns);
	snprintf(out.unit, sizeof(out.unit), "%s", utf8 ? s->utf8 : s->ascii);
	return out;
}

struct number_mean numbers_mean(double mean_ns, double low_ns, double high_ns, bool utf8)
{
	bool bounded = isfinite(low_ns) && isfinite(high_ns);
	double half_ns = bounded ? fmax(mean_ns - low_ns, high_ns - mean_ns) : 0;
	/* Far beyond the mean, the interval's unit is the one whose digits are known. */
	const struct scale *s = scale_of(half_ns > MOST_BEYOND * fabs(mean_ns) ? half_ns : mean_ns);
	double mean = mean_ns / s->ns, low = low_ns / s->ns, high = high_ns / s->ns;
	const char *sign = utf8 ? "±" : "+/-";
	double half = fmax(mean - low, high - mean);
	struct number_mean out = {.mean = "-"};
	char below[24], above[24];

	if (!isfinite(mean_ns))
		return out;
	int decimals = decimals_for(mean, bounded ? half : 0);
	double step = pow(10, -decimals);
	if (bounded && low_ns >= 0 && high_ns > low_ns && !(mean > 0.5 * step))
		return limit_of(high_ns, utf8);
	numbers_fixed(out.mean, sizeof(out.mean), mean, decimals);
	snprintf(out.unit, sizeof(out.unit), "%s", utf8 ? s->utf8 : s->ascii);
	if (!bounded) {
		snprintf(out.interval, sizeof(out.interval), "%s?", sign);
	} else if (is_lopsided(mean, low, high)) {
		numbers_fixed(below, sizeof(below), low, decimals);
		numbers_fixed(above, sizeof(above), high, decimals);
		snprintf(out.interval, sizeof(out.interval), "[%s, %s]", below, above);
	} else {
		snprintf(out.interval, sizeof(out.interval), "%s%.*f", sign, decimals,
			 half > 0 && half < step / 2 ? step : half);
	}
	return out;
}

/* Rounding each percentage by itself leaves 99.8 or 100.3, and a reader who adds up
 * wonders what is missing. */

struct remainder {
	double left;
	size_t index;
};

ARRAY_COMPARE(compare_remainders, struct remainder,
	      ARRAY_ORDER(b->left, a->left) ?: ARRAY_ORDER(a->index, b->index))

/* A whole this much smaller than what cancels in it is the cancelling's rounding error. It
 * also keeps every sum of the parts within an int32_t. */
#define MOST_CANCELLED 1e6

/* What all parts add up to; 0 where that is no whole to be shared out. */
static double whole_of(const double *part, size_t count)
{
	double sum = 0, sizes = 0;

	for (size_t i = 0; i < count; i++) {
		sum += part[i];
		sizes += fabs(part[i]);
	}
	return isfinite(sizes) && sum > 0 && sizes <= MOST_CANCELLED * sum ? sum : 0;
}

int numbers_percentages(const double *part, size_t count, int32_t whole, int32_t *parts)
{
	struct remainder *rest = calloc(count ? count : 1, sizeof(*rest));
	double sum = whole_of(part, count);
	int64_t missing = whole, each;

	if (!rest)
		return -1;
	for (size_t i = 0; i < count; i++) {
		double exact = sum > 0 ? whole * (part[i] / sum) : 0;

		parts[i] = (int32_t)floor(exact);
		rest[i] = (struct remainder){exact - floor(exact), i};
		missing -= parts[i];
	}
	if (sum > 0) {
		/* 0, but for the error of floating point where parts cancel. */
		each = (int64_t)floor((double)missing / (double)count);
		missing -= each * (int64_t)count;
		ARRAY_SORT(rest, count, compare_remainders);
		for (size_t i = 0; i < count; i++)
			parts[rest[i].index] += (int32_t)(each + ((int64_t)i < missing));
	}
	free(rest);
	return 0;
}
