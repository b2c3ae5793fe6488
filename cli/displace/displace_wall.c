// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace --method wall`: the method as published in 1997, printed in the paper's own
 * terms. In JSON the keys are those of displace_json.c where they mean the same. */
#include <math.h>

#include "cli/displace/displace_command.h"
#include "cli/messages/progress.h"
#include "collector/displacement/wall_method.h"
#include "report/wording/numbers.h"

#define DAEMONS	 0.02 /* of what is measured */
#define WARNINGS 2

struct wall {
	const struct displace_wishes *o;
	const struct program *program;
	struct wall_method_result r;
	struct progress progress;
};

/* Warning number i < WARNINGS: its code, and `text` gets the sentence. NULL: it does not apply. */
static const char *warning(const struct wall *m, size_t i, char *text, size_t size)
{
	const struct wall_method_result *r = &m->r;
	double loops = m->o->loops ? (double)m->o->loops : 1, daemons = r->errors.daemons * loops;

	if (!i && fabs(daemons) > DAEMONS * fabs(r->displaced.mean)) {
		snprintf(text, size,
			 "others and the host took %+.1f %% of what is measured; --method fluid "
			 "takes account of both",
			 100 * daemons / r->displaced.mean);
		return "too-disturbed";
	}
	if (i == 1 && r->out_of_time) {
		snprintf(text, size,
			 "%zu of %u replications were complete after %.4g s (--time-limit)",
			 r->count, m->o->replications, m->o->longest_s);
		return "out-of-time";
	}
	return NULL;
}

static void print_replications(FILE *out, const struct wall_method_result *r)
{
	fprintf(out, "\n  replication  tau_F (ns)   T_F(2) (s)   T_PUT (s)  getrusage (s)  "
		     "others (s)  stolen (s)\n");
	for (size_t i = 0; i < r->count; i++) {
		const struct wall_method_replication *p = &r->replication[i];

		fprintf(out, "  %11zu  %10.3f   %10.4f  %10.4f  %13.4f  %10.4f  %10.4f\n", i + 1,
			1e9 * p->tau_fluid, p->together.time, p->displaced, p->rusage, p->others[1],
			p->stolen[1]);
	}
	fputc('\n', out);
}

static void print_mean(FILE *out, const char *name, const struct replications_mean *m, double scale,
		       const char *unit)
{
	fprintf(out, "  %-28s %12.4f %s", name, m->mean * scale, unit);
	if (isfinite(m->low))
		fprintf(out, "  (%.4f to %.4f)", m->low * scale, m->high * scale);
	fputc('\n', out);
}

static void print_errors(FILE *out, const struct wall_method_result *r, const char *unit)
{
	const struct woodside_errors *e = &r->errors;

	fprintf(out, "\n  error terms, %s (section 3 of the paper):\n", unit);
	fprintf(out,
		"  e_daemons    %+12.4f   what other processes and the host took, beyond "
		"step 1\n",
		numbers_tidy(e->daemons * 1e6, 4));
	fprintf(out,
		"  e_cache      %+12.4f   at most: %.0f ns for a cold loop, each time that the "
		"fluid came back\n",
		numbers_tidy(e->cache * 1e6, 4), 1e9 * r->first_loop);
	fprintf(out, "  e_res        ±%11.6f   of a clock that steps by %.0f ns\n",
		e->resolution * 1e6, 1e9 * r->clock);
	fprintf(out,
		"  e_start      %+12.4f   starting and ending an empty program takes %.0f us\n",
		numbers_tidy(e->start * 1e6, 4), 1e6 * r->start);
}

static int print_text(FILE *out, const struct wall *m)
{
	const struct displace_wishes *o = m->o;
	const struct wall_method_result *r = &m->r;
	double loops = o->loops ? (double)o->loops : 1;
	char text[256];

	displace_text_head(out, o, " --method wall");
	fprintf(out, "%zu replication%s, %.4g %% confidence\n", r->count, r->count == 1 ? "" : "s",
		100 * o->confidence);
	fprintf(out, "  L_PUT = %.0f, L_F = %llu, found by %u run%s of the command\n", loops,
		(unsigned long long)r->loops_fluid, r->tries, r->tries == 1 ? "" : "s");
	print_replications(out, r);
	print_mean(out, "tau_F", &r->tau_fluid, 1e9, "ns");
	print_mean(out, "T_PUT", &r->displaced, 1, "s ");
	print_mean(out, "getrusage", &r->rusage, 1, "s ");
	if (o->loops) {
		print_mean(out, "tau_PUT", &r->displaced, 1e6 / loops, "us");
		print_mean(out, "getrusage, a loop", &r->rusage, 1e6 / loops, "us");
	}
	fprintf(out, "  displacement is %+.2f %% from getrusage\n",
		numbers_tidy(100 * (r->displaced.mean / r->rusage.mean - 1), 2));
	/* without loops, the command is the loop */
	print_errors(out, r, o->loops ? "us a loop" : "us");
	for (size_t i = 0; i < WARNINGS; i++) {
		const char *code = warning(m, i, text, sizeof(text));

		if (code)
			fprintf(out, "warning: %s: %s\n", code, text);
	}
	return ferror(out) ? -1 : 0;
}

/* ---- JSON ---- */

static void put_mean(struct json_writer *w, const char *key, const struct replications_mean *m,
		     double scale, const char *unit)
{
	json_write_open(w, key, '{');
	displace_json_limits(w, "mean", m->mean, m->low, m->high, scale, unit);
	json_write_close(w, '}');
}

/* The object stays open. */
static void open_errors(struct json_writer *w, const struct woodside_errors *e)
{
	json_write_open(w, "errors", '{');
	json_write_number(w, "daemons_us", 1e6 * e->daemons);
	json_write_number(w, "cache_us", 1e6 * e->cache);
	json_write_number(w, "resolution_us", 1e6 * e->resolution);
	json_write_number(w, "start_us", 1e6 * e->start);
}

static void put_step(struct json_writer *w, const char *key, const struct woodside_step *s,
		     double stolen, double others)
{
	json_write_open(w, key, '{');
	json_write_number(w, "t_f_s", s->time);
	json_write_number(w, "l_f", s->loops);
	json_write_number(w, "daemons_s", s->daemons);
	json_write_number(w, "stolen_s", stolen);
	json_write_number(w, "others_s", others);
	json_write_close(w, '}');
}

static void put_replication(struct json_writer *w, const struct wall_method_replication *p)
{
	json_write_open(w, NULL, '{');
	json_write_number(w, "tau_f_ns", 1e9 * p->tau_fluid);
	put_step(w, "step1", &p->alone, p->stolen[0], p->others[0]);
	put_step(w, "step2", &p->together, p->stolen[1], p->others[1]);
	json_write_number(w, "t_put_s", p->displaced);
	json_write_number(w, "rusage_s", p->rusage);
	json_write_number(w, "intervals", p->intervals);
	open_errors(w, &p->errors);
	json_write_close(w, '}');
	json_write_close(w, '}');
}

static void put_means(struct json_writer *w, const struct wall *m)
{
	const struct wall_method_result *r = &m->r;

	put_mean(w, "tau_f", &r->tau_fluid, 1e9, "_ns");
	put_mean(w, "displacement", &r->displaced, 1, "_s");
	if (m->o->loops)
		put_mean(w, "per_operation_us", &r->displaced, 1e6 / (double)m->o->loops, "_us");
	else
		json_write_null(w, "per_operation_us");
	open_errors(w, &r->errors);
	json_write_number(w, "clock_ns", 1e9 * r->clock);
	json_write_number(w, "start_s", r->start);
	json_write_number(w, "cold_loop_ns", 1e9 * r->first_loop);
	json_write_close(w, '}');
}

static int print_json(FILE *out, const struct wall *m)
{
	const struct wall_method_result *r = &m->r;
	struct json_writer json, *w = displace_json_begin(&json, out, m->o, "wall");
	char text[256];

	json_write_close(w, '}'); /* of the program */
	json_write_number(w, "confidence", m->o->confidence);
	json_write_count(w, "l_f", r->loops_fluid);
	json_write_count(w, "l_f_runs", r->tries);
	json_write_open(w, "accounting", '{');
	json_write_number(w, "rusage_s", r->rusage.mean);
	json_write_close(w, '}');
	put_means(w, m);
	json_write_open(w, "replications", '[');
	for (size_t i = 0; i < r->count; i++)
		put_replication(w, &r->replication[i]);
	json_write_close(w, ']');
	json_write_open(w, "warnings", '[');
	for (size_t i = 0; i < WARNINGS; i++) {
		const char *code = warning(m, i, text, sizeof(text));

		if (code)
			displace_json_warning(w, code, text);
	}
	json_write_close(w, ']');
	json_write_close(w, '}');
	return json_write_finish(w);
}

static int print(FILE *out, const void *context)
{
	const struct wall *m = context;

	return m->o->json ? print_json(out, m) : print_text(out, m);
}

/* ---- measuring ---- */

static void say_progress(void *context, size_t done)
{
	struct wall *m = context;

	progress_show_now(&m->progress, (double)done / m->o->replications, "run %zu of %u",
			  done + 1, m->o->replications);
}

static enum wall_method_end measure(struct wall *m, struct profile_error *err)
{
	const struct wall_method_options options = {
		.cpus = m->o->cpus,
		.replications = m->o->replications,
		.loops = m->o->loops ? (double)m->o->loops : 1,
		.confidence = m->o->confidence,
		.path = m->program->path,
		.argv = m->o->command,
		.shell_fallback = m->program->shell_fallback,
		.longest_s = m->o->longest_s,
		.progress = say_progress,
		.context = m,
	};
	enum wall_method_end end;

	progress_begin(&m->progress, "scprof displace", !m->o->quiet);
	end = wall_method_measure(&options, &m->r, err);
	progress_clear(&m->progress);
	return end;
}

int displace_wall(const struct displace_wishes *o, const struct program *program)
{
	struct wall m = {.o = o, .program = program};
	struct profile_error err;
	int status = DISPLACE_FAILED, kept;
	enum wall_method_end end;

	if (displace_divert_output(o, &kept))
		return DISPLACE_FAILED;
	end = measure(&m, &err);
	displace_restore_output(kept);
	switch (end) {
	case WALL_METHOD_DONE:
		status =
			displace_report(o, print, &m) && !m.r.status ? DISPLACE_FAILED : m.r.status;
		break;
	case WALL_METHOD_EXEC:
		status = displace_exec_failed(program, m.r.exec_errno);
		break;
	case WALL_METHOD_STOPPED:
		displace_complain("stopped before the first replication was complete");
		status = m.r.status;
		break;
	default:
		displace_complain("%s", err.text);
	}
	wall_method_free(&m.r);
	return !status && m.r.stopped_by ? 128 + m.r.stopped_by : status;
}
