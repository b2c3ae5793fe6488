// SPDX-License-Identifier: GPL-3.0-or-later
/* Numbers as people read them: values for arguments of printf, numbered_share(0.5).text. NAN
 * becomes "-". `utf8` allows the micro sign. */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "-0.12": so many decimals, as printf has them, but what rounds to 0 has no sign. */
void numbers_fixed(char *out, size_t room, double value, int decimals);
/* The same for printf with a sign: 0 for a value that rounds to it, so that it is never "-0.0". */
double numbers_tidy(double value, int decimals);

struct numbered {
	char text[32];
};
__attribute__((format(printf, 1, 2))) struct numbered numbered_text(const char *format, ...);
/* "1.234 ms": four significant digits, unit from the size; what is not 0 never reads as 0. */
struct numbered numbered_duration(double ns, bool utf8);
/* "1,234,567". */
struct numbered numbered_count(uint64_t count);
/* "1.23 MB", powers of 1000. */
struct numbered numbered_bytes(uint64_t bytes);
/* "45.2 %" of a share in 0 .. 1; what is not 0 never reads as 0. */
struct numbered numbered_share(double share);
/* "1.7 to 12.0": limits of a share, in percent. */
struct numbered numbered_limits(double low, double high);
/* "45.2 %" of a whole number of thousandths, which may be negative. */
struct numbered numbered_permille(int32_t permille);
/* "0.312", "21,700,000": three significant digits. */
struct numbered numbered_plain(double value);
/* "7,120": so many significant digits, with commas, and never an exponent below 10^15. */
struct numbered numbered_digits(double value, int digits);

/* What part of the total, 0 to 1; NAN: not known. An estimated part can be beyond its total, and
 * below nothing. */
double numbers_share(double part, double total);

/* A sentence that is put together; what does not fit is cut. */
struct words {
	char text[600];
};
__attribute__((format(printf, 2, 3))) void numbers_append(struct words *to, const char *format,
							  ...);

/* A mean with its interval in three parts that columns can align on: "1.234", "±0.012" or "[1.1,
 * 1.9]", and the unit. The mean has as many digits as the interval supports, at most four; a half
 * width is rounded up rather than to nothing. The unit is the mean's, or the half width's where
 * that is more than 1000 times the mean. Without an interval the middle part is "±?"; where no
 * digit of the mean is known, and it is not below 0, the mean is "< 1.9" and the middle empty. */
struct number_mean {
	char mean[24], interval[56], unit[8];
};
struct number_mean numbers_mean(double mean_ns, double low_ns, double high_ns, bool utf8);
/* part[i] / (sum of all parts), in parts of `whole`, such as 1000, whose sum is exactly that:
 * rounded down, and what is missing goes to the largest remainders (Hamilton's method; equal ones:
 * the first). Each differs from the truth by less than one. Parts may be negative, but must be
 * finite, and their sum positive and at least a millionth of the sum of their sizes; else all are 0
 * and nothing can be said. -1: out of memory. */
int numbers_percentages(const double *part, size_t count, int32_t whole, int32_t *parts);
