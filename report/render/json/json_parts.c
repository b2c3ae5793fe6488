// SPDX-License-Identifier: GPL-3.0-or-later
/* Values of JSON, and a call path of them. */
#include "report/render/json/json.h"
#include "report/model/frame_symbols.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/wording/utf8.h"

json_t *json_parts_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
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

static const char *source_name(enum symbol_source source)
{
	static const char *const names[] = {
		[SYMBOL_UNKNOWN] = NULL,
		[SYMBOL_FROM_DEBUG_INFO] = "debug-info",
		[SYMBOL_FROM_TABLE] = "symbol-table",
		[SYMBOL_FROM_DYNAMIC] = "dynamic-symbols",
		[SYMBOL_FROM_PERF_MAP] = "perf-map",
	};

	return names[source];
}

json_t *json_parts_frame(const struct symbol *s, int *failed)
{
	json_t *o = json_object();

	json_parts_put(o, "function", json_parts_text(s->function), failed);
	json_parts_put(o, "module", json_parts_text(s->module), failed);
	json_parts_put(o, "offset", json_parts_count(s->offset), failed);
	json_parts_put(o, "function_offset",
		       s->into == SYMBOL_START_UNKNOWN ? json_null() : json_parts_count(s->into),
		       failed);
	json_parts_put(o, "file", json_parts_text(s->file), failed);
	json_parts_put(o, "line", s->line ? json_integer(s->line) : json_null(), failed);
	json_parts_put(o, "inlined", json_boolean(s->inlined), failed);
	json_parts_put(o, "name_from", json_parts_text(source_name(s->source)), failed);
	return o;
}

json_t *json_parts_stack(struct report *r, const struct report_site *s, int *failed)
{
	json_t *stack = json_array();

	for (uint32_t i = 0; i < s->frames; i++) {
		size_t count;
		const struct symbol *symbol = frame_symbols_find(r, &s->frame[i], &count);

		for (size_t k = 0; k < count; k++)
			*failed += json_array_append_new(stack,
							 json_parts_frame(&symbol[k], failed)) < 0;
	}
	return stack;
}

const char *json_parts_path_name(const struct report_site *s)
{
	if (s->overflow)
		return "not-kept";
	if (s->path_flags & SCP_PATH_SMALL_STACK)
		return "caller-only";
	if (s->path_flags & SCP_PATH_LIMITED)
		return "limited";
	if (s->path_flags & SCP_PATH_CUT)
		return "cut";
	return s->path_flags & SCP_PATH_TRUNCATED ? "truncated" : "complete";
}
