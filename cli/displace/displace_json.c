// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace --json`: docs/displacement.md names the keys. */
#include <math.h>
#include <stddef.h>

#include "cli/displace/displace_command.h"
#include "collector/machine/cpus.h"

#define FIELD(kind, of, name, member)                                                              \
	{                                                                                          \
		name, ROW_##kind, offsetof(struct displacement_##of, member)                       \
	}

static const struct row_field accounting_fields[] = {
	FIELD(NUMBER, accounting, "rusage_s", rusage),
	FIELD(NUMBER, accounting, "rusage_user_s", rusage_user),
	FIELD(NUMBER, accounting, "rusage_system_s", rusage_system),
	FIELD(NUMBER, accounting, "task_clock_s", task_clock),
	FIELD(NUMBER, accounting, "task_clock_outside_s", task_clock_outside),
	FIELD(NUMBER, accounting, "taskstats_s", taskstats),
	FIELD(NUMBER, accounting, "schedstat_s", schedstat),
	FIELD(FLAG, accounting, "schedstat_first_thread_only", schedstat_partial),
	{0}};

static const struct row_field cpu_fields[] = {
	FIELD(NUMBER, cpu, "wall_s", wall),
	FIELD(NUMBER, cpu, "program_s", program),
	FIELD(NUMBER, cpu, "others_s", others),
	FIELD(NUMBER, cpu, "scprof_s", scprof),
	FIELD(NUMBER, cpu, "interrupts_s", interrupts),
	FIELD(NUMBER, cpu, "interrupts_program_s", uncharged),
	FIELD(NUMBER, cpu, "interrupts_rest_s", resting),
	FIELD(NUMBER, cpu, "switching_s", switching),
	FIELD(NUMBER, cpu, "stolen_s", stolen),
	FIELD(NUMBER, cpu, "stolen_from_fluid_s", stolen_fluid),
	FIELD(NUMBER, cpu, "idle_s", idle),
	FIELD(NUMBER, cpu, "remainder_s", remainder),
	FIELD(NUMBER, cpu, "stat_irq_s", irq),
	FIELD(NUMBER, cpu, "stat_softirq_s", softirq),
	FIELD(COUNT, cpu, "windows", windows),
	FIELD(COUNT, cpu, "windows_kept", kept),
	FIELD(COUNT, cpu, "switches", switches),
	{0}};

/* Fields of one CPU, not of the sum. */
static const struct row_field one_cpu_fields[] = {FIELD(NUMBER, cpu, "rest_rate", rest.value),
						  FIELD(NUMBER, cpu, "rest_rate_error", rest.error),
						  {0}};

static const struct row_field task_fields[] = {FIELD(NUMBER, task, "seconds", seconds),
					       FIELD(COUNT32, task, "tasks", tasks),
					       FIELD(FLAG, task, "softirq", softirq),
					       {0}};

static const struct row_field run_fields[] = {FIELD(NUMBER, run, "elapsed_s", elapsed),
					      FIELD(NUMBER, run, "program_s", program),
					      FIELD(COUNT, run, "windows", seen.windows),
					      FIELD(COUNT, run, "windows_kept", seen.kept),
					      FIELD(NUMBER, run, "share_kept", seen.share_kept),
					      FIELD(NUMBER, run, "inflation", seen.inflation),
					      FIELD(FLAG, run, "interrupted", interrupted),
					      FIELD(NUMBER, run, "rest_s", rest),
					      {0}};

static const struct row_field unaccounted_fields[] = {
	FIELD(NUMBER, summary, "share_of_rusage", share),
	FIELD(NUMBER, summary, "share_low", share_low),
	FIELD(NUMBER, summary, "share_high", share_high),
	FIELD(NUMBER, summary, "ksoftirqd_s", softirqd),
	FIELD(NUMBER, summary, "hidden_s", hidden),
	{0}};

static const struct row_field summary_fields[] = {
	FIELD(NUMBER, summary, "confidence", confidence),
	FIELD(COUNT, summary, "runs", runs),
	FIELD(COUNT, summary, "runs_disturbed", disturbed),
	FIELD(COUNT, summary, "windows", windows),
	FIELD(COUNT, summary, "windows_kept", kept),
	{0}};

static const struct row_field error_fields[] = {
	FIELD(NUMBER, summary, "remainder_s", all.remainder),
	FIELD(NUMBER, summary, "interrupts_rest_s", all.resting),
	FIELD(NUMBER, summary, "switching_s", all.switching),
	FIELD(NUMBER, summary, "stolen_s", all.stolen),
	{0}};

/* NAMEUNIT, ci_lowUNIT, ci_highUNIT. */
static void put_limits(struct json_writer *w, const char *name, double mean, double low,
		       double high, double scale, const char *unit)
{
	char key[32];

	snprintf(key, sizeof(key), "%s%s", name, unit);
	json_write_number(w, key, mean * scale);
	snprintf(key, sizeof(key), "ci_low%s", unit);
	json_write_number(w, key, low * scale);
	snprintf(key, sizeof(key), "ci_high%s", unit);
	json_write_number(w, key, high * scale);
}

static void put_why(struct json_writer *w, const char *key, const char *why)
{
	json_write_text(w, key, *why ? why : NULL);
}

static void put_accounting(struct json_writer *w, const struct displacement_accounting *a)
{
	json_write_open(w, "accounting", '{');
	json_write_fields(w, accounting_fields, a, true);
	put_why(w, "task_clock_missing", a->task_clock_why);
	put_why(w, "taskstats_missing", a->taskstats_why);
	put_why(w, "schedstat_missing", a->schedstat_why);
	json_write_close(w, '}');
}

static void put_cpu(struct json_writer *w, const char *key, const struct displacement_cpu *c)
{
	json_write_open(w, key, '{');
	json_write_count_if(w, "cpu", c->cpu >= 0, (uint64_t)c->cpu);
	json_write_fields(w, cpu_fields, c, true);
	if (c->cpu >= 0)
		json_write_fields(w, one_cpu_fields, c, true);
	json_write_close(w, '}');
}

static void put_cpus(struct json_writer *w, const struct displacement_cpu *c, size_t count)
{
	json_write_open(w, "cpus", '[');
	for (size_t i = 0; i < count; i++)
		put_cpu(w, NULL, &c[i]);
	json_write_close(w, ']');
}

static void put_tasks(struct json_writer *w, const struct displacement_tasks *others)
{
	const struct displacement_task *t = others->task;

	json_write_open(w, "tasks", '[');
	for (size_t i = 0; i < others->count; i++) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "name", t[i].name);
		json_write_count_if(w, "cpu", t[i].cpu >= 0, (uint64_t)t[i].cpu);
		json_write_fields(w, task_fields, &t[i], true);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void put_warnings(struct json_writer *w, unsigned set)
{
	json_write_open(w, "warnings", '[');
	for (unsigned bit = 1; bit && bit <= set; bit <<= 1)
		if (set & bit) {
			json_write_open(w, NULL, '{');
			json_write_text(w, "code", displacement_warning_words(bit)->code);
			json_write_text(w, "text", displacement_warning_words(bit)->text);
			json_write_close(w, '}');
		}
	json_write_close(w, ']');
}

/* The object stays open. */
static void open_mean(struct json_writer *w, const char *key, const struct displacement_interval *m,
		      bool bound)
{
	json_write_open(w, key, '{');
	put_limits(w, "mean", m->mean, m->low, m->high, 1, "_s");
	json_write_text(w, "bound", bound ? "lower" : NULL);
}

/* A value of a run; null if it is impossible. */
static void put_value(struct json_writer *w, const char *key, const struct displacement_run *r,
		      struct displacement_value v, double confidence)
{
	if (!displacement_summary_is_possible(r->uncharged, confidence))
		v.error = INFINITY;
	struct displacement_interval m = displacement_summary_mean(v, confidence, r->hidden);
	open_mean(w, key, &m, r->bound);
	json_write_close(w, '}');
}

static void put_replications(struct json_writer *w, const struct displacement_summary *s)
{
	json_write_open(w, "replications", '[');
	for (size_t i = 0; i < s->runs; i++) {
		const struct displacement_run *r = &s->run[i];

		json_write_open(w, NULL, '{');
		json_write_fields(w, run_fields, r, true);
		put_accounting(w, &r->accounting);
		put_value(w, "displacement", r, r->displacement, s->confidence);
		put_value(w, "unaccounted", r, r->uncharged, s->confidence);
		put_cpus(w, r->cpu, r->cpus);
		put_warnings(w, r->warnings);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void put_operation(struct json_writer *w, uint64_t loops,
			  const struct displacement_summary *s)
{
	double each = 1e6 / (double)loops;

	if (!json_write_open_known(w, "per_operation_us", loops))
		return;
	put_limits(w, "displacement", s->displacement.mean, s->displacement.low,
		   s->displacement.high, each, "_us");
	json_write_number(w, "rusage_us", s->accounting.rusage * each);
	json_write_close(w, '}');
}

static void put_effect(struct json_writer *w, const struct displacement_confirm *c,
		       const struct displacement_summary *s)
{
	struct displacement_interval m = displacement_confirm_effect(c, s);

	json_write_open(w, "fluid_effect", '{');
	put_limits(w, "ratio", m.mean, m.low, m.high, 1, "");
	json_write_close(w, '}');
}

static void put_confirmation(struct json_writer *w, const struct displacement_confirm *c,
			     const struct displacement_summary *s)
{
	struct replications_mean m = replications_mean(c->taken, c->runs, s->confidence),
				 used = replications_mean(c->rusage, c->runs, s->confidence);
	bool holds = displacement_confirm_holds(c);

	json_write_open(w, "elapsed_s", '[');
	for (size_t i = 0; i < c->runs; i++)
		json_write_number(w, NULL, c->elapsed[i]);
	json_write_close(w, ']');
	put_limits(w, "taken", m.mean, m.low, m.high, 1, "_s");
	json_write_number(w, "rusage_s", used.mean);
	json_write_number(w, "idle_share", c->idle);
	json_write_number(w, "had_share", c->had);
	json_write_flag(w, "saturated", c->idle < DISPLACEMENT_SATURATED);
	json_write_flag(w, "confirms", holds);
	json_write_number(w, "displacement_off", holds ? s->displacement.mean / m.mean - 1 : NAN);
	json_write_number(w, "rusage_off", holds ? s->accounting.rusage / m.mean - 1 : NAN);
	put_effect(w, c, s);
	json_write_close(w, '}');
}

static void put_errors(struct json_writer *w, const struct displacement_summary *s)
{
	bool known = isfinite(s->switching.error);

	json_write_open(w, "errors", '{');
	json_write_fields(w, error_fields, s, true);
	json_write_number(w, "switch_ns", known ? 1e9 * s->switching.value : NAN);
	json_write_number(w, "switch_error_ns", 1e9 * s->switching.error);
	json_write_close(w, '}');
}

/* Up to the members of `program`, which is left open. */
static struct json_writer *begin(struct json_writer *w, FILE *out, const struct displace_wishes *o)
{
	char list[256];

	*w = (struct json_writer){.out = out, .indent = true};
	cpus_print(&o->cpus, list, sizeof(list));
	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-displace/1");
	json_write_text(w, "method", "fluid");
	json_write_text(w, "cpu_list", list);
	json_write_count_if(w, "loops", o->loops, o->loops);
	json_write_open(w, "program", '{');
	json_write_texts(w, "argv", (const char *const *)o->command, JSON_TO_NULL);
	return w;
}

int displace_json_print(FILE *out, const struct displace_wishes *o,
			const struct displacement_summary *s,
			const struct displacement_confirm *confirm)
{
	struct json_writer json, *w = begin(&json, out, o);
	char sentence[512];

	displace_text_sentence(s, sentence, sizeof(sentence));
	json_write_number(w, "elapsed_s", s->elapsed);
	json_write_number(w, "cpu_s", s->program);
	json_write_close(w, '}'); /* of the program */
	json_write_fields(w, summary_fields, s, true);
	put_accounting(w, &s->accounting);
	open_mean(w, "displacement", &s->displacement, s->bound);
	json_write_close(w, '}');
	open_mean(w, "unaccounted", &s->uncharged, s->bound);
	json_write_fields(w, unaccounted_fields, s, true);
	json_write_close(w, '}');
	put_operation(w, o->loops, s);
	put_errors(w, s);
	put_cpus(w, s->cpu, s->cpus);
	put_cpu(w, "all_cpus", &s->all);
	put_tasks(w, &s->others);
	if (json_write_open_known(w, "confirm", confirm))
		put_confirmation(w, confirm, s);
	put_replications(w, s);
	json_write_text(w, "sentence", sentence);
	put_warnings(w, s->warnings);
	json_write_close(w, '}');
	return json_write_finish(w);
}
