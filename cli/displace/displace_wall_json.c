// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace --method wall --json`: the keys of displace_json.c where they mean the same,
 * and the quantities of the paper by its names. */
#include <jansson.h>
#include <stdlib.h>

#include "collector/machine/cpus.h"
#include "cli/displace/displace_print.h"
#include "report/render/json/json_parts.h"
#include "report/wording/utf8.h"

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *mean(const struct replications_mean *m, double scale, const char *unit)
{
	json_t *object = json_object();
	char key[32];

	snprintf(key, sizeof(key), "mean_%s", unit);
	put(object, key, json_parts_number(m->mean * scale));
	snprintf(key, sizeof(key), "ci_low_%s", unit);
	put(object, key, json_parts_number(m->low * scale));
	snprintf(key, sizeof(key), "ci_high_%s", unit);
	put(object, key, json_parts_number(m->high * scale));
	return object;
}

static json_t *errors(const struct woodside_errors *e)
{
	json_t *object = json_object();

	put(object, "daemons_us", json_parts_number(1e6 * e->daemons));
	put(object, "cache_us", json_parts_number(1e6 * e->cache));
	put(object, "resolution_us", json_parts_number(1e6 * e->resolution));
	put(object, "start_us", json_parts_number(1e6 * e->start));
	return object;
}

static json_t *step(const struct woodside_step *s, double stolen, double others)
{
	json_t *object = json_object();

	put(object, "t_f_s", json_parts_number(s->time));
	put(object, "l_f", json_parts_number(s->loops));
	put(object, "daemons_s", json_parts_number(s->daemons));
	put(object, "stolen_s", json_parts_number(stolen));
	put(object, "others_s", json_parts_number(others));
	return object;
}

static json_t *replications(const struct wall_method_result *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->count; i++) {
		const struct wall_method_replication *p = &r->replication[i];
		json_t *object = json_object();

		put(object, "tau_f_ns", json_parts_number(1e9 * p->tau_fluid));
		put(object, "step1", step(&p->alone, p->stolen[0], p->others[0]));
		put(object, "step2", step(&p->together, p->stolen[1], p->others[1]));
		put(object, "t_put_s", json_parts_number(p->displaced));
		put(object, "rusage_s", json_parts_number(p->rusage));
		put(object, "intervals", json_parts_number(p->intervals));
		put(object, "errors", errors(&p->errors));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *argv(char **words)
{
	json_t *array = json_array();

	for (; *words; words++) {
		char *clean = utf8_clean(*words, true);

		json_array_append_new(array, clean ? json_string(clean) : json_null());
		free(clean);
	}
	return array;
}

static json_t *warnings(const struct displace_wishes *o, const struct wall_method_result *r)
{
	json_t *array = json_array();
	char text[256];

	for (size_t i = 0; i < DISPLACE_WALL_WARNINGS; i++) {
		const char *code = displace_wall_warning(o, r, i, text, sizeof(text));

		if (code)
			json_array_append_new(array,
					      json_pack("{s:s, s:s}", "code", code, "text", text));
	}
	return array;
}

static json_t *whole(const struct displace_wishes *o, const struct wall_method_result *r)
{
	json_t *root = json_object(), *accounting = json_object(), *error = errors(&r->errors);
	char list[256];

	cpus_print(&o->cpus, list, sizeof(list));
	put(root, "schema", json_string("scprof-displace/1"));
	put(root, "method", json_string("wall"));
	put(root, "program", json_pack("{s:o}", "argv", argv(o->command)));
	put(root, "cpu_list", json_string(list));
	put(root, "confidence", json_parts_number(o->confidence));
	put(root, "loops", o->loops ? json_integer((json_int_t)o->loops) : json_null());
	put(root, "l_f", json_integer((json_int_t)r->loops_fluid));
	put(root, "l_f_runs", json_integer((json_int_t)r->tries));
	put(root, "tau_f", mean(&r->tau_fluid, 1e9, "ns"));
	put(accounting, "rusage_s", json_parts_number(r->rusage.mean));
	put(root, "accounting", accounting);
	put(root, "displacement", mean(&r->displaced, 1, "s"));
	put(root, "per_operation_us",
	    o->loops ? mean(&r->displaced, 1e6 / (double)o->loops, "us") : json_null());
	put(error, "clock_ns", json_parts_number(1e9 * r->clock));
	put(error, "start_s", json_parts_number(r->start));
	put(error, "cold_loop_ns", json_parts_number(1e9 * r->first_loop));
	put(root, "errors", error);
	put(root, "replications", replications(r));
	put(root, "warnings", warnings(o, r));
	return root;
}

int displace_print_wall_json(FILE *out, const struct displace_wishes *o,
			     const struct wall_method_result *r)
{
	return json_parts_print(whole(o, r), out);
}
