// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace --json`: docs/displacement.md names the keys. */

#include <math.h>
#include <stddef.h>

#include "cli/displace/displace_command.h"
#include "collector/machine/cpus.h"

/* NAMEUNIT, ci_lowUNIT, ci_highUNIT. */
static void put_limits(struct json_writer *w, const char *name, struct displacement_interval v,
		       double scale, const char *unit)
{
	char key[32], low[32], high[32];

	snprintf(key, sizeof(key), "%s%s", name, unit);
	snprintf(low, sizeof(low), "ci_low%s", unit);
	snprintf(high, sizeof(high), "ci_high%s", unit);
	JSON_PUT(w, key, v.mean * scale, low, v.low * scale, high, v.high * scale);
}

static const char *why(const char *text)
{
	return *text ? text : NULL;
}

static void put_accounting(struct json_writer *w, const struct displacement_accounting *a)
{
	JSON_OBJECT(w, "accounting", "rusage_s", a->rusage, "rusage_user_s", a->rusage_user,
		    "rusage_system_s", a->rusage_system, "task_clock_s", a->task_clock,
		    "task_clock_outside_s", a->task_clock_outside, "taskstats_s", a->taskstats,
		    "schedstat_s", a->schedstat, "schedstat_first_thread_only",
		    a->schedstat_partial, "task_clock_missing", why(a->task_clock_why),
		    "taskstats_missing", why(a->taskstats_why), "schedstat_missing",
		    why(a->schedstat_why));
}

static void put_cpu(struct json_writer *w, const char *key, const struct displacement_cpu *c)
{
	json_write_open(w, key, '{');
	json_write_count_if(w, "cpu", c->cpu >= 0, (uint64_t)c->cpu);
	JSON_PUT(w, "wall_s", c->wall, "program_s", c->program, "others_s", c->others, "scprof_s",
		 c->scprof, "interrupts_s", c->interrupts, "interrupts_program_s", c->uncharged,
		 "interrupts_rest_s", c->resting, "switching_s", c->switching, "stolen_s",
		 c->stolen, "stolen_from_fluid_s", c->stolen_fluid, "idle_s", c->idle,
		 "remainder_s", c->remainder, "stat_irq_s", c->irq, "stat_softirq_s", c->softirq);
	JSON_PUT(w, "windows", c->windows, "windows_kept", c->kept, "switches", c->switches);
	if (c->cpu >= 0) /* not the sum of all */
		JSON_PUT(w, "rest_rate", c->rest.value, "rest_rate_error", c->rest.error);
	json_write_close(w, '}');
}

static void put_task(struct json_writer *w, const struct displacement_task *t)
{
	json_write_open(w, NULL, '{');
	json_write_text(w, "name", t->name);
	json_write_count_if(w, "cpu", t->cpu >= 0, (uint64_t)t->cpu);
	JSON_MEMBERS(w, t, seconds, tasks, softirq);
	json_write_close(w, '}');
}

static void put_warnings(struct json_writer *w, unsigned set)
{
	json_write_open(w, "warnings", '[');
	for (unsigned bit = 1; bit && bit <= set; bit <<= 1)
		if (set & bit)
			JSON_OBJECT_OF(w, NULL, displacement_warning_words(bit), code, text);
	json_write_close(w, ']');
}

/* The object stays open. */
static void open_mean(struct json_writer *w, const char *key, struct displacement_interval m,
		      bool bound)
{
	json_write_open(w, key, '{');
	put_limits(w, "mean", m, 1, "_s");
	json_write_text(w, "bound", bound ? "lower" : NULL);
}

/* A value of a run; null if it is impossible. */
static void put_value(struct json_writer *w, const char *key, const struct displacement_run *r,
		      struct displacement_value v, double confidence)
{
	if (!displacement_summary_is_possible(r->uncharged, confidence))
		v.error = INFINITY;
	open_mean(w, key, displacement_summary_mean(v, confidence, r->hidden), r->bound);
	json_write_close(w, '}');
}

static void put_replication(struct json_writer *w, const struct displacement_run *r,
			    double confidence)
{
	json_write_open(w, NULL, '{');
	JSON_PUT(w, "elapsed_s", r->elapsed, "program_s", r->program, "windows", r->seen.windows,
		 "windows_kept", r->seen.kept, "share_kept", r->seen.share_kept, "inflation",
		 r->seen.inflation, "interrupted", r->interrupted, "rest_s", r->rest);
	put_accounting(w, &r->accounting);
	put_value(w, "displacement", r, r->displacement, confidence);
	put_value(w, "unaccounted", r, r->uncharged, confidence);
	JSON_LIST(w, "cpus", e, r->cpu, r->cpus, put_cpu(w, NULL, e));
	put_warnings(w, r->warnings);
	json_write_close(w, '}');
}

static void put_operation(struct json_writer *w, uint64_t loops,
			  const struct displacement_summary *s)
{
	double each = 1e6 / (double)loops;

	if (!json_write_open_known(w, "per_operation_us", loops))
		return;
	put_limits(w, "displacement", s->displacement, each, "_us");
	json_write_number(w, "rusage_us", s->accounting.rusage * each);
	json_write_close(w, '}');
}

static void put_confirmation(struct json_writer *w, const struct displacement_confirm *c,
			     const struct displacement_summary *s)
{
	struct replications_mean m = replications_mean(c->taken, c->runs, s->confidence),
				 used = replications_mean(c->rusage, c->runs, s->confidence);
	bool holds = displacement_confirm_holds(c);

	json_write_numbers(w, "elapsed_s", c->elapsed, c->runs);
	put_limits(w, "taken", (struct displacement_interval){m.mean, m.low, m.high}, 1, "_s");
	JSON_PUT(w, "rusage_s", used.mean, "idle_share", c->idle, "had_share", c->had);
	json_write_flag(w, "saturated", c->idle < DISPLACEMENT_SATURATED);
	JSON_PUT(w, "confirms", holds, "displacement_off",
		 holds ? s->displacement.mean / m.mean - 1 : NAN, "rusage_off",
		 holds ? s->accounting.rusage / m.mean - 1 : NAN);
	json_write_open(w, "fluid_effect", '{');
	put_limits(w, "ratio", displacement_confirm_effect(c, s), 1, "");
	json_write_close(w, '}');
	json_write_close(w, '}');
}

static void put_errors(struct json_writer *w, const struct displacement_summary *s)
{
	bool known = isfinite(s->switching.error);

	JSON_OBJECT(w, "errors", "remainder_s", s->all.remainder, "interrupts_rest_s",
		    s->all.resting, "switching_s", s->all.switching, "stolen_s", s->all.stolen,
		    "switch_ns", known ? 1e9 * s->switching.value : NAN, "switch_error_ns",
		    1e9 * s->switching.error);
}

static void put_program(struct json_writer *w, const struct displace_wishes *o,
			const struct displacement_summary *s)
{
	char list[256];

	cpus_print(&o->cpus, list, sizeof(list));
	JSON_PUT(w, "schema", "scprof-displace/1", "method", "fluid", "cpu_list", list);
	json_write_count_if(w, "loops", o->loops, o->loops);
	json_write_open(w, "program", '{');
	json_write_texts(w, "argv", (const char *const *)o->command, JSON_TO_NULL);
	JSON_PUT(w, "elapsed_s", s->elapsed, "cpu_s", s->program);
	json_write_close(w, '}');
	JSON_PUT(w, "confidence", s->confidence, "runs", s->runs, "runs_disturbed", s->disturbed,
		 "windows", s->windows, "windows_kept", s->kept);
}

int displace_json_print(FILE *out, const struct displace_wishes *o,
			const struct displacement_summary *s,
			const struct displacement_confirm *confirm)
{
	struct json_writer json = {.out = out, .indent = true}, *w = &json;
	char sentence[512];

	displace_text_sentence(s, sentence, sizeof(sentence));
	json_write_open(w, NULL, '{');
	put_program(w, o, s);
	put_accounting(w, &s->accounting);
	open_mean(w, "displacement", s->displacement, s->bound);
	json_write_close(w, '}');
	open_mean(w, "unaccounted", s->uncharged, s->bound);
	JSON_PUT(w, "share_of_rusage", s->share, "share_low", s->share_low, "share_high",
		 s->share_high, "ksoftirqd_s", s->softirqd, "hidden_s", s->hidden);
	json_write_close(w, '}');
	put_operation(w, o->loops, s);
	put_errors(w, s);
	JSON_LIST(w, "cpus", e, s->cpu, s->cpus, put_cpu(w, NULL, e));
	put_cpu(w, "all_cpus", &s->all);
	JSON_LIST(w, "tasks", e, s->others.task, s->others.count, put_task(w, e));
	if (json_write_open_known(w, "confirm", confirm))
		put_confirmation(w, confirm, s);
	JSON_LIST(w, "replications", e, s->run, s->runs, put_replication(w, e, s->confidence));
	json_write_text(w, "sentence", sentence);
	put_warnings(w, s->warnings);
	return json_write_finish(w);
}
