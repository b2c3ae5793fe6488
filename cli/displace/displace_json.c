// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace --json`: docs/displacement.md names the keys. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "collector/machine/cpus.h"
#include "cli/displace/displace_print.h"
#include "report/render/json/json_parts.h"
#include "report/wording/utf8.h"

/* Names may be any bytes; JSON must be UTF-8. */
static json_t *text(const char *raw)
{
	char *clean = utf8_clean(raw, true);
	json_t *string = clean ? json_string(clean) : NULL;

	free(clean);
	return string ? string : json_null();
}

static json_t *integer(size_t value)
{
	return json_integer((json_int_t)value);
}

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *mean(const struct displace_mean *m, bool bound)
{
	json_t *object = json_object();
	bool known = isfinite(m->low) && isfinite(m->high);

	put(object, "mean_s", known ? json_parts_number(m->mean) : json_null());
	put(object, "ci_low_s", json_parts_number(m->low));
	put(object, "ci_high_s", json_parts_number(m->high));
	put(object, "bound", bound ? json_string("lower") : json_null());
	return object;
}

static json_t *accounting(const struct displace_accounting *a)
{
	json_t *object = json_object();

	put(object, "rusage_s", json_parts_number(a->rusage));
	put(object, "rusage_user_s", json_parts_number(a->rusage_user));
	put(object, "rusage_system_s", json_parts_number(a->rusage_system));
	put(object, "task_clock_s", json_parts_number(a->task_clock));
	put(object, "task_clock_outside_s", json_parts_number(a->task_clock_outside));
	put(object, "taskstats_s", json_parts_number(a->taskstats));
	put(object, "schedstat_s", json_parts_number(a->schedstat));
	put(object, "schedstat_first_thread_only", json_boolean(a->schedstat_partial));
	put(object, "task_clock_missing",
	    *a->task_clock_why ? text(a->task_clock_why) : json_null());
	put(object, "taskstats_missing", *a->taskstats_why ? text(a->taskstats_why) : json_null());
	put(object, "schedstat_missing", *a->schedstat_why ? text(a->schedstat_why) : json_null());
	return object;
}

static json_t *cpu(const struct displace_cpu *c)
{
	json_t *object = json_object();

	put(object, "cpu", c->cpu < 0 ? json_null() : json_integer(c->cpu));
	put(object, "wall_s", json_parts_number(c->wall));
	put(object, "program_s", json_parts_number(c->program));
	put(object, "others_s", json_parts_number(c->others));
	put(object, "scprof_s", json_parts_number(c->scprof));
	put(object, "interrupts_s", json_parts_number(c->interrupts));
	put(object, "interrupts_program_s", json_parts_number(c->excess));
	put(object, "interrupts_rest_s", json_parts_number(c->resting));
	put(object, "switching_s", json_parts_number(c->switching));
	put(object, "stolen_s", json_parts_number(c->stolen));
	put(object, "stolen_from_fluid_s", json_parts_number(c->stolen_fluid));
	put(object, "idle_s", json_parts_number(c->idle));
	put(object, "remainder_s", json_parts_number(c->remainder));
	put(object, "stat_irq_s", json_parts_number(c->irq));
	put(object, "stat_softirq_s", json_parts_number(c->softirq));
	put(object, "windows", integer(c->windows));
	put(object, "windows_kept", integer(c->kept));
	put(object, "switches", integer(c->switches));
	if (c->cpu < 0)
		return object;
	put(object, "rest_rate", json_parts_number(c->rest.value));
	put(object, "rest_rate_error", json_parts_number(c->rest.error));
	put(object, "chunk_ns", json_parts_number(c->chunk_ns));
	put(object, "chunk_spread", json_parts_number(c->chunk_spread));
	return object;
}

static json_t *cpus(const struct displace_cpu *c, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, cpu(&c[i]));
	return array;
}

static json_t *tasks(const struct displace_task *t, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *object = json_object();

		put(object, "name", text(t[i].name));
		put(object, "seconds", json_parts_number(t[i].seconds));
		put(object, "cpu", t[i].cpu < 0 ? json_null() : json_integer(t[i].cpu));
		put(object, "tasks", integer(t[i].tasks));
		put(object, "softirq", json_boolean(t[i].softirq));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *warnings(unsigned set)
{
	json_t *array = json_array();

	for (unsigned bit = 1; bit && bit <= set; bit <<= 1)
		if (set & bit)
			json_array_append_new(array, json_pack("{s:s, s:s}", "code",
							       displace_warnings_code(bit), "text",
							       displace_warnings_text(bit)));
	return array;
}

/* Of a run; null where the value is impossible. */
static json_t *value(const struct displace_run *r, struct displacement_value v, double confidence)
{
	struct displace_mean m;

	if (!displace_summary_is_possible(r->lost, confidence))
		v.error = INFINITY;
	m = displace_summary_mean(v, confidence, r->hidden);
	return mean(&m, r->bound);
}

static json_t *replications(const struct displace_summary *s)
{
	json_t *array = json_array();

	for (size_t i = 0; i < s->runs; i++) {
		const struct displace_run *r = &s->run[i];
		json_t *object = json_object();

		put(object, "elapsed_s", json_parts_number(r->elapsed));
		put(object, "program_s", json_parts_number(r->program));
		put(object, "accounting", accounting(&r->accounting));
		put(object, "displacement", value(r, r->displaced, s->confidence));
		put(object, "unaccounted", value(r, r->lost, s->confidence));
		put(object, "by_account_s", json_parts_number(r->by_account));
		put(object, "windows", integer(r->excess.windows));
		put(object, "windows_kept", integer(r->excess.kept));
		put(object, "share_kept", json_parts_number(r->excess.share_kept));
		put(object, "inflation", json_parts_number(r->excess.inflation));
		put(object, "interrupted", json_boolean(r->interrupted));
		put(object, "rest_s", json_parts_number(r->rest));
		put(object, "cpus", cpus(r->cpu, r->cpus));
		put(object, "warnings", warnings(r->warnings));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *operation(const struct displace_wishes *o, const struct displace_summary *s)
{
	double each = 1e6 / (double)o->loops;
	bool known = isfinite(s->displaced.low);
	json_t *object = json_object();

	put(object, "displacement_us",
	    known ? json_parts_number(s->displaced.mean * each) : json_null());
	put(object, "ci_low_us", json_parts_number(s->displaced.low * each));
	put(object, "ci_high_us", json_parts_number(s->displaced.high * each));
	put(object, "rusage_us", json_parts_number(s->accounting.rusage * each));
	return object;
}

static json_t *effect(struct displace_mean m, double on_cpu)
{
	json_t *object = json_object();

	put(object, "ratio", json_parts_number(m.mean));
	put(object, "ci_low", json_parts_number(m.low));
	put(object, "ci_high", json_parts_number(m.high));
	put(object, "on_cpu_ratio", json_parts_number(on_cpu));
	return object;
}

static json_t *confirmation(const struct displace_confirm *c, const struct displace_summary *s)
{
	struct replications_mean m = replications_mean(c->taken, c->runs, s->confidence),
				 used = replications_mean(c->rusage, c->runs, s->confidence);
	json_t *object = json_object(), *elapsed = json_array();
	bool holds = displace_confirm_holds(c);

	for (size_t i = 0; i < c->runs; i++)
		json_array_append_new(elapsed, json_parts_number(c->elapsed[i]));
	put(object, "elapsed_s", elapsed);
	put(object, "taken_s", json_parts_number(m.mean));
	put(object, "ci_low_s", json_parts_number(m.low));
	put(object, "ci_high_s", json_parts_number(m.high));
	put(object, "rusage_s", json_parts_number(used.mean));
	put(object, "idle_share", json_parts_number(c->idle));
	put(object, "had_share", json_parts_number(c->had));
	put(object, "saturated", json_boolean(c->idle < DISPLACE_SATURATED));
	put(object, "confirms", json_boolean(holds));
	put(object, "displacement_off",
	    holds && isfinite(s->displaced.low) ? json_parts_number(s->displaced.mean / m.mean - 1)
						: json_null());
	put(object, "rusage_off",
	    holds ? json_parts_number(s->accounting.rusage / m.mean - 1) : json_null());
	put(object, "fluid_effect",
	    effect(displace_confirm_effect(c, s), displace_confirm_on_cpu(c, s)));
	return object;
}

static json_t *program(const struct displace_wishes *o, const struct displace_summary *s)
{
	json_t *object = json_object(), *argv = json_array();

	for (char **word = o->command; *word; word++)
		json_array_append_new(argv, text(*word));
	put(object, "argv", argv);
	put(object, "elapsed_s", json_parts_number(s->elapsed));
	put(object, "cpu_s", json_parts_number(s->program));
	return object;
}

static json_t *unaccounted(const struct displace_summary *s)
{
	json_t *object = mean(&s->lost, s->bound);
	bool known = s->verdict != DISPLACE_NOTHING_SAID;

	put(object, "share_of_rusage", known ? json_parts_number(s->share) : json_null());
	put(object, "share_low", json_parts_number(s->share_low));
	put(object, "share_high", json_parts_number(s->share_high));
	put(object, "ksoftirqd_s", json_parts_number(s->softirqd));
	put(object, "struck_others_s", json_parts_number(s->struck_others));
	put(object, "hidden_s", json_parts_number(s->hidden));
	return object;
}

static json_t *errors(const struct displace_summary *s)
{
	bool known = isfinite(s->switching.error);
	json_t *object = json_object();

	put(object, "remainder_s", json_parts_number(s->all.remainder));
	put(object, "interrupts_rest_s", json_parts_number(s->all.resting));
	put(object, "switching_s", json_parts_number(s->all.switching));
	put(object, "switch_ns", known ? json_parts_number(1e9 * s->switching.value) : json_null());
	put(object, "switch_error_ns", json_parts_number(1e9 * s->switching.error));
	put(object, "stolen_s", json_parts_number(s->all.stolen));
	return object;
}

static json_t *whole(const struct displace_wishes *o, const struct displace_summary *s,
		     const struct displace_confirm *confirm)
{
	json_t *root = json_object();
	char list[256], sentence[512];

	cpus_print(&o->cpus, list, sizeof(list));
	displace_sentence(s, sentence, sizeof(sentence));
	put(root, "schema", json_string("scprof-displace/1"));
	put(root, "method", json_string("fluid"));
	put(root, "program", program(o, s));
	put(root, "cpu_list", json_string(list));
	put(root, "confidence", json_parts_number(s->confidence));
	put(root, "runs", integer(s->runs));
	put(root, "runs_disturbed", integer(s->disturbed));
	put(root, "loops", o->loops ? integer(o->loops) : json_null());
	put(root, "accounting", accounting(&s->accounting));
	put(root, "displacement", mean(&s->displaced, s->bound));
	put(root, "by_account_s", json_parts_number(s->by_account));
	put(root, "unaccounted", unaccounted(s));
	put(root, "per_operation_us", o->loops ? operation(o, s) : json_null());
	put(root, "errors", errors(s));
	put(root, "idle_group", json_boolean(s->run[0].apart));
	put(root, "windows", integer(s->windows));
	put(root, "windows_kept", integer(s->kept));
	put(root, "cpus", cpus(s->cpu, s->cpus));
	put(root, "all_cpus", cpu(&s->all));
	put(root, "tasks", tasks(s->task, s->tasks));
	put(root, "confirm", confirm ? confirmation(confirm, s) : json_null());
	put(root, "replications", replications(s));
	put(root, "sentence", text(sentence));
	put(root, "warnings", warnings(s->warnings));
	return root;
}

int displace_print_json(FILE *out, const struct displace_wishes *o,
			const struct displace_summary *s, const struct displace_confirm *confirm)
{
	return json_parts_print(whole(o, s, confirm), out);
}
