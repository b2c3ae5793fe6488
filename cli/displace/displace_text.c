// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace` as text: the sentence, CPU time by each method of accounting, the account of
 * the CPUs, the warnings. */

#include <math.h>

#include "cli/displace/displace_command.h"
#include "collector/machine/cpus.h"
#include "report/wording/numbers.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

#define TASKS_SHOWN 8

static struct numbered seconds(double value)
{
	return isfinite(value) ? numbered_text("%.4f s", value) : numbered_text("-");
}

static struct numbered percent(double share)
{
	return numbered_text("%.*f %%", fabs(share) < 0.1 ? 2 : 1, 100 * share);
}

/* A share of what the program uses, or of all time where that is hardly anything. */
struct shares {
	struct numbered mean, low, high;
	const char *of;
};

static struct shares shares_of(const struct displacement_summary *s)
{
	bool idle = s->accounting.rusage < 0.01 * s->all.wall;
	double whole = idle ? s->all.wall : s->accounting.rusage;

	return (struct shares){percent(s->uncharged.mean / whole),
			       percent(s->uncharged.low / whole),
			       percent(s->uncharged.high / whole),
			       idle ? "the CPUs' time" : "what getrusage shows"};
}

/* Interrupts struck other tasks, too: what was seen is the least that there was. */
static void bound_sentence(const struct displacement_summary *s, const struct shares *h, char *text,
			   size_t size)
{
	struct numbered hidden = seconds(s->hidden);

	if (s->verdict == DISPLACEMENT_ALL_CHARGED)
		snprintf(text, size,
			 "No uncharged time was seen, but other tasks had the CPUs for %s, and "
			 "interrupts that struck them are charged to them: what interrupts and "
			 "softirqs took for the program besides is between %s and %s of %s.",
			 hidden.text, h->low.text, h->high.text, h->of);
	else
		snprintf(
			text, size,
			"Interrupts and softirqs took at least %s for the program that are charged "
			"to nobody, %s of %s (%s were seen, %s). It may be up to %s: other tasks "
			"had the CPUs for %s, and interrupts that struck them are charged to them.",
			seconds(s->uncharged.low).text, h->low.text, h->of,
			seconds(s->uncharged.mean).text, h->mean.text, h->high.text, hidden.text);
}

void displace_text_sentence(const struct displacement_summary *s, char *text, size_t size)
{
	struct shares h = shares_of(s);

	if (s->verdict == DISPLACEMENT_NOTHING_SAID)
		snprintf(text, size,
			 "Nothing can be said of uncharged time: see the warnings. The accountings "
			 "stand as they are.");
	else if (s->bound)
		bound_sentence(s, &h, text, size);
	else if (s->verdict == DISPLACEMENT_ALL_CHARGED)
		snprintf(text, size,
			 "No uncharged time was found: what interrupts and softirqs took for the "
			 "program besides is between %s and %s of %s.",
			 h.low.text, h.high.text, h.of);
	else
		snprintf(text, size,
			 "Interrupts and softirqs took %s for the program that are charged to "
			 "nobody: %s of %s (%s to %s).",
			 seconds(s->uncharged.mean).text, h.mean.text, h.of, h.low.text,
			 h.high.text);
}

static void print_head(FILE *out, const struct displace_wishes *o,
		       const struct displacement_summary *s)
{
	char switching[64] = "unknown", cpus[128];

	if (isfinite(s->switching.error))
		snprintf(switching, sizeof(switching), "%.0f ns ± %.0f", s->switching.value * 1e9,
			 2 * s->switching.error * 1e9);
	cpus_print(&o->cpus, cpus, sizeof(cpus));
	fputs("scprof displace: ", out);
	utf8_put_clean(out, o->command[0], terminal_of(out, 0).utf8);
	fprintf(out, " on CPU%s %s, ", CPU_COUNT(&o->cpus) > 1 ? "s" : "", cpus);
	fprintf(out, "%zu run%s of %.3f s, %.4g %% confidence\n", s->runs, s->runs == 1 ? "" : "s",
		s->elapsed, 100 * s->confidence);
	fprintf(out,
		"  windows kept: %zu of %zu; a switch: %s charged to the fluid beyond its "
		"progress\n",
		s->kept, s->windows, switching);
}

static void print_mean(FILE *out, const char *name, const struct displacement_interval *m,
		       bool bound)
{
	if (isfinite(m->low) && bound)
		fprintf(out, "  %-24s %10.4f s  at least (%.4f were seen; at most %.4f)\n", name,
			m->low, m->mean, m->high);
	else if (isfinite(m->low))
		fprintf(out, "  %-24s %10.4f s  (%.4f to %.4f)\n", name, m->mean, m->low, m->high);
	else
		fprintf(out, "  %-24s          -    (no interval can be given)\n", name);
}

/* A method of accounting: its time, and the share that it misses of what displacement found in the
 * same runs (NAN: nothing). */
static void print_accounting(FILE *out, double displacement, const char *name, double value,
			     const char *note)
{
	if (!isfinite(value)) {
		fprintf(out, "  %-24s          -    %s\n", name, note);
		return;
	}
	fprintf(out, "  %-24s %10.4f s", name, value);
	if (isfinite(displacement))
		fprintf(out, "  %+9.4f s %+8.2f %%", numbers_tidy(displacement - value, 4),
			numbers_tidy(100 * (displacement - value) / value, 2));
	else
		fprintf(out, "  %9s    %8s  ", "-", "-");
	fprintf(out, "%s%s\n", *note ? "   " : "", note);
}

static void print_accountings(FILE *out, const struct displacement_summary *s)
{
	const struct displacement_accounting *a = &s->accounting;
	double all = s->displacement.mean, first = all;

	if (s->runs > 1 && isfinite(all)) /* only beside that was perf's counter */
		first = isfinite(s->run->displacement.error) ? s->run->displacement.value : NAN;
	fprintf(out, "\n  %-24s %12s  %11s%s\n", "accounting", "CPU time", "displacement",
		s->bound ? " that was seen" : "");
	print_accounting(out, all, "getrusage", a->rusage, "with the children it waited for");
	print_accounting(out, first, "perf task-clock", a->task_clock,
			 !isfinite(a->task_clock) ? a->task_clock_why
			 : s->runs > 1		  ? "of the first run; stolen time is in it"
						  : "stolen time is in it, switching is not");
	print_accounting(out, all, "taskstats", a->taskstats,
			 isfinite(a->taskstats) ? "all descendants that ended" : a->taskstats_why);
	print_accounting(out, all, "schedstat", a->schedstat,
			 !isfinite(a->schedstat) ? a->schedstat_why
			 : a->schedstat_partial	 ? "its first thread alone, of several"
						 : "");
	if (s->warnings & DISPLACEMENT_IRQ_MEASURED)
		fprintf(out, "  %-24s %10.4f s  measured by this kernel on these CPUs\n",
			"/proc/stat irq, softirq", s->all.irq + s->all.softirq);
}

static void print_row(FILE *out, const char *name, const struct displacement_cpu *c)
{
	fprintf(out, "  %-4s %9.4f %9.4f %9.4f %8.4f %9.4f %8.4f %9.4f %9.4f %9.4f\n", name,
		c->wall, c->program, c->others, c->scprof, c->uncharged, c->resting + c->switching,
		c->stolen, c->idle, c->remainder);
}

static void print_tasks(FILE *out, const struct displacement_summary *s)
{
	size_t shown = 0;

	for (const struct displacement_task *t = s->others.task;
	     t < s->others.task + s->others.count && shown < TASKS_SHOWN; t++) {
		if (t->seconds < 1e-4 * s->all.wall && !t->softirq)
			continue;
		fputs(shown++ ? ", " : "  other tasks: ", out);
		utf8_put_clean(out, t->name, terminal_of(out, 0).utf8); /* a task chooses it */
		fprintf(out, " %.4f s", t->seconds);
		if (t->tasks > 1)
			fprintf(out, " (%u)", t->tasks);
	}
	if (shown)
		fprintf(out, "%s\n", s->others.count > shown ? ", ..." : "");
}

static void print_account(FILE *out, const struct displacement_summary *s)
{
	fprintf(out,
		"\n  where the CPUs' time went, seconds a run:\n"
		"  CPU       wall   program    others   scprof  int.prog int.rest    stolen      "
		"idle remainder\n");
	for (size_t i = 0; i < s->cpus; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", s->cpu[i].cpu);
		print_row(out, name, &s->cpu[i]);
	}
	if (s->cpus > 1)
		print_row(out, "all", &s->all);
	fprintf(out, "  the remainder, %+.2f %% of the CPUs' time, is the error of this account\n",
		numbers_tidy(100 * s->all.remainder / s->all.wall, 2));
	print_tasks(out, s);
}

static void print_operation(FILE *out, const struct displace_wishes *o,
			    const struct displacement_summary *s)
{
	double each = 1e6 / (double)o->loops;

	if (!o->loops)
		return;
	fprintf(out, "  an operation of %llu: getrusage %.4g us", (unsigned long long)o->loops,
		s->accounting.rusage * each);
	if (isfinite(s->displacement.low))
		fprintf(out, ", displacement %s%.4g us (%.4g to %.4g)", s->bound ? "at least " : "",
			(s->bound ? s->displacement.low : s->displacement.mean) * each,
			s->displacement.low * each, s->displacement.high * each);
	fputc('\n', out);
}

static void print_effect(FILE *out, const struct displacement_summary *s,
			 const struct displacement_confirm *c)
{
	struct displacement_interval e = displacement_confirm_effect(c, s);

	fprintf(out,
		"\n  without the fluid, %zu run%s: the command's CPU time beside it is %.3f times",
		c->runs, c->runs == 1 ? "" : "s", e.mean);
	if (isfinite(e.low))
		fprintf(out, " (%.3f to %.3f)", e.low, e.high);
	fputs(" that without it\n", out);
}

static void print_confirm(FILE *out, const struct displace_wishes *o,
			  const struct displacement_summary *s,
			  const struct displacement_confirm *c)
{
	struct replications_mean m = replications_mean(c->taken, c->runs, s->confidence);
	double by_displacement = s->displacement.mean, by_rusage = s->accounting.rusage;

	if (!c->runs)
		return;
	print_effect(out, s, c);
	if (!displacement_confirm_holds(c)) {
		fprintf(out,
			"  the command had %.1f %% of the CPUs' time, %.1f %% was idle: elapsed "
			"time says nothing of CPU time (at least %g %% and at most %g %% would do; "
			"fewer CPUs, or fewer other tasks, may help)\n",
			100 * c->had, 100 * c->idle, 100 * DISPLACEMENT_HAD,
			100 * DISPLACEMENT_SATURATED);
		return;
	}
	fprintf(out, "  %.4f CPU seconds taken", m.mean);
	if (isfinite(m.low))
		fprintf(out, " (%.4f to %.4f)", m.low, m.high);
	fputc('\n', out);
	if (isfinite(s->displacement.low))
		fprintf(out, "  %-24s %10.4f s  off by %+.2f %%\n", "predicted by displacement",
			by_displacement, numbers_tidy(100 * (by_displacement / m.mean - 1), 2));
	fprintf(out, "  %-24s %10.4f s  off by %+.2f %%\n", "predicted by getrusage", by_rusage,
		numbers_tidy(100 * (by_rusage / m.mean - 1), 2));
	if (o->loops && isfinite(s->displacement.low))
		fprintf(out, "  operations a second: %.5g, predicted %.5g and %.5g\n",
			(double)o->loops / m.mean, (double)o->loops / by_displacement,
			(double)o->loops / by_rusage);
}

static void print_warnings(FILE *out, const struct displacement_summary *s)
{
	for (unsigned bit = 1; bit && bit <= s->warnings; bit <<= 1)
		if (s->warnings & bit)
			fprintf(out, "warning: %s: %s\n", displacement_warning_words(bit)->code,
				displacement_warning_words(bit)->text);
}

int displace_text_print(FILE *out, const struct displace_wishes *o,
			const struct displacement_summary *s,
			const struct displacement_confirm *confirm)
{
	char sentence[512];

	displace_text_sentence(s, sentence, sizeof(sentence));
	print_head(out, o, s);
	fprintf(out, "\n%s\n\n", sentence);
	print_mean(out, "CPU time by displacement", &s->displacement, s->bound);
	print_mean(out, "of it charged to nobody", &s->uncharged, s->bound);
	print_operation(out, o, s);
	print_accountings(out, s);
	print_account(out, s);
	if (confirm)
		print_confirm(out, o, s, confirm);
	print_warnings(out, s);
	return ferror(out) ? -1 : 0;
}
