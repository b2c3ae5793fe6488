// SPDX-License-Identifier: GPL-3.0-or-later
/* The report for speedscope, in its own format: one profile a weight, to switch between, of the
 * call paths that folded stacks have. Format: speedscope's file-format-spec.ts, "sampled". */
#include <jansson.h>
#include <string.h>

#include "report/model/model.h"
#include "report/render/formats.h"
#include "report/render/stacks/stacks.h"

static int put_function(void *path, uint32_t function, int line)
{
	(void)line;
	return json_array_append_new(path, json_integer(function));
}

static json_t *paths_of(struct stacks *s, uint32_t rows)
{
	json_t *paths = json_array();
	int status = paths ? 0 : -1;

	for (uint32_t i = 0; status == 0 && i < rows; i++) {
		json_t *path = json_array();

		status = json_array_append_new(paths, path) < 0 ||
					 stacks_walk(s, stacks_row(s, i), put_function, path) < 0
				 ? -1
				 : 0;
	}
	if (status == 0)
		return paths;
	json_decref(paths);
	return NULL;
}

static json_t *functions_of(const struct stacks *s)
{
	json_t *functions = json_array();

	for (uint32_t i = 0; i < s->functions; i++)
		json_array_append_new(functions, json_pack("{s:s, s:s*}", "name", stacks_name(s, i),
							   "file", stacks_file(s, i)));
	return functions;
}

/* NULL: nothing has any of it. */
static json_t *profile_of(struct stacks *s, const json_t *paths, enum report_weight weight)
{
	const char *unit = report_weights[weight].unit;
	json_t *samples = json_array(), *weights = json_array();
	uint64_t sum = 0;

	for (uint32_t i = 0; i < json_array_size(paths); i++) {
		uint64_t value = report_weight_of(weight, stacks_row(s, i));

		if (!value)
			continue;
		json_array_append(samples, json_array_get(paths, i));
		json_array_append_new(weights, json_integer((json_int_t)value));
		sum += value;
	}
	if (!sum) {
		json_decref(samples);
		json_decref(weights);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:s, s:i, s:I, s:o, s:o}", "type", "sampled", "name",
			 report_weights[weight].name, "unit", strcmp(unit, "count") ? unit : "none",
			 "startValue", 0, "endValue", (json_int_t)sum, "samples", samples,
			 "weights", weights);
}

int speedscope_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct stacks s = {.report = r};
	enum report_weight weight[REPORT_WEIGHTS];
	uint32_t rows = stacks_rows(&s, o);
	json_t *paths = rows == STRING_INDEX_NONE ? NULL : paths_of(&s, rows);
	json_t *profiles = json_array();
	unsigned weights = report_weight_list(r, weight);

	size_t active = 0;

	for (unsigned i = 0; paths && i < weights; i++)
		if (!json_array_append_new(profiles, profile_of(&s, paths, weight[i])) &&
		    weight[i] == o->weight)
			active = json_array_size(profiles) - 1;
	json_t *all = json_pack("{s:s, s:s, s:{s:o}, s:i, s:o}", "$schema",
				"https://www.speedscope.app/file-format-schema.json", "exporter",
				"scprof", "shared", "frames", functions_of(&s),
				"activeProfileIndex", (int)active, "profiles", profiles);

	if (paths && all)
		json_dumpf(all, out, JSON_COMPACT);
	int status = paths && all ? 0 : -1;

	json_decref(paths);
	json_decref(all);
	stacks_end(&s);
	return status;
}
