// SPDX-License-Identifier: GPL-3.0-or-later
/* strtod alone would also accept "nan", "0x1p-1" and " .9", strtoull "-1". */
#include "cli/usage/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int quantity_count(const char *text, uint64_t least, uint64_t most, uint64_t *count)
{
	unsigned long long value;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end || errno || value < least || value > most)
		return -1;
	*count = value;
	return 0;
}

int quantity_share(const char *text, double *share)
{
	char *end;
	double value;

	if (!strchr("0123456789.", *text) || !*text || strpbrk(text, "xX"))
		return -1;
	value = strtod(text, &end);
	if (end == text)
		return -1;
	if (!strcmp(end, "%"))
		value /= 100;
	else if (*end)
		return -1;
	if (!isfinite(value) || !(value > 0))
		return -1;
	*share = value;
	return 0;
}

int quantity_confidence(const char *text, double *confidence)
{
	double value;

	if (quantity_share(text, &value) || value >= 1)
		return -1;
	*confidence = value;
	return 0;
}
