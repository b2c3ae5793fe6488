// SPDX-License-Identifier: GPL-3.0-or-later
/* Values that jansson does not make by itself: unknown numbers, large counts, broken UTF-8. */
#include "report/render/json/json_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/wording/utf8.h"

json_t *json_parts_number(double value)
{
	return isfinite(value) ? json_real(value == 0 ? 0 : value) : json_null();
}

/* JSON integers are 64-bit signed here; a larger count is still a number. */
json_t *json_parts_count(uint64_t n)
{
	return n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n);
}

int json_parts_print(json_t *document, FILE *out)
{
	int failed;

	if (!document) {
		errno = ENOMEM;
		return -1;
	}
	failed = json_dumpf(document, out, JSON_INDENT(2)) || fputc('\n', out) == EOF ||
		 fflush(out) || ferror(out);
	json_decref(document);
	return failed ? -1 : 0;
}

json_t *json_parts_text(const char *s)
{
	char *valid;
	json_t *value;

	if (!s)
		return json_null();
	valid = utf8_repair(s);
	value = valid ? json_string(valid) : NULL;
	free(valid);
	return value;
}

void json_parts_put(json_t *object, const char *key, json_t *value, int *failed)
{
	*failed += json_object_set_new(object, key, value) < 0;
}
