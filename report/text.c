// SPDX-License-Identifier: GPL-3.0-or-later
/* The report for people: what ran and how it was measured, one table, the
 * check of the account, and the warnings. */
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "numbers.h"
#include "utf8.h"

#define TOP_DEFAULT 20

void text_cell(struct text *t, struct table *table, size_t column, const char *raw)
{
	char *safe = utf8_clean(raw, t->terminal.utf8);

	if (safe)
		table_cell(table, column, safe);
	else
		table->failed = true;
	free(safe);
}

void text_mean_cells(struct text *t, struct table *table, size_t at,
		     const struct report_estimate *e)
{
	struct number_mean m;

	number_mean(&m, e->mean_ns, e->low_ns, e->high_ns, t->terminal.utf8);
	table_cell(table, at, m.mean);
	table_cell(table, at + 1, m.unit);
	table_cell(table, at + 2, m.interval);
}

void text_duration_cell(struct text *t, struct table *table, size_t column, double ns)
{
	char text[32];

	number_duration(text, sizeof(text), ns, t->terminal.utf8);
	table_cell(table, column, text);
}

void text_wrapped(struct text *t, const char *clean, size_t at, size_t indent)
{
	size_t width = t->terminal.width > indent + 20 ? t->terminal.width : indent + 20;
	bool first = true;

	while (*clean) {
		size_t bytes = strcspn(clean, " "), columns;
		char *word = strndup(clean, bytes);

		if (!word)
			return;
		columns = utf8_width(word);
		if (!first && at + 1 + columns > width) {
			fprintf(t->out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', t->out);
			at++;
		}
		if (at + columns > width)
			bytes = utf8_fit(word, width - at);
		fprintf(t->out, "%.*s", (int)bytes, word);
		at += columns;
		clean += bytes;
		clean += *clean == ' ';
		free(word);
		first = false;
	}
	fputc('\n', t->out);
}

__attribute__((format(printf, 3, 4))) static void print_fact(struct text *t, const char *name,
							     const char *format, ...)
{
	char *raw = NULL, *safe;
	va_list args;

	va_start(args, format);
	if (vasprintf(&raw, format, args) < 0)
		raw = NULL;
	va_end(args);
	safe = raw ? utf8_clean(raw, t->terminal.utf8) : NULL;
	if (safe) {
		terminal_style(t->out, &t->terminal, TERMINAL_DIM);
		fprintf(t->out, "  %-10s ", name);
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
		text_wrapped(t, safe, 13, 13);
	}
	free(safe);
	free(raw);
}

static void print_command(struct text *t, const struct prof_process *p)
{
	char *line = NULL, *safe = NULL, *fits = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&line, &bytes);

	if (!memory)
		return;
	if (!p->argc)
		fputs(p->exe, memory);
	for (uint32_t i = 0; i < p->argc; i++)
		/* An argument with a blank in it must not look like two. */
		fprintf(memory,
			p->argv[i][strcspn(p->argv[i], " \t\n")] || !p->argv[i][0] ? "%s'%s'"
										   : "%s%s",
			i ? " " : "", p->argv[i]);
	if (fclose(memory) == 0)
		safe = utf8_clean(line, t->terminal.utf8);
	if (safe)
		fits = utf8_shorten(safe, t->terminal.width, t->terminal.utf8);
	if (fits) {
		terminal_style(t->out, &t->terminal, TERMINAL_BOLD);
		fputs(fits, t->out);
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
		fputc('\n', t->out);
	}
	free(fits);
	free(safe);
	free(line);
}

static const char *end_words(const struct report *r, uint32_t end_state)
{
	static const char *const words[] = {
		[SCP_END_RUNNING] = "still running or killed",
		[SCP_END_EXIT] = "exited",
		[SCP_END_EXEC] = "replaced by another program",
		[SCP_END_QUICK] = "left by _exit",
		[SCP_END_ABORT] = "aborted",
	};

	if (end_state == SCP_END_RUNNING && r->profile->losses.stopped)
		return "end not recorded";
	return end_state <= SCP_END_ABORT ? words[end_state] : "end not known";
}

static void print_run(struct text *t)
{
	const struct report *r = t->report;
	const struct prof_process *p = r->first;
	time_t start = (time_t)(r->start_real_ns / 1000000000u);
	char when[48] = "", wall[32];
	struct tm tm;

	print_command(t, p);
	if (r->start_real_ns && localtime_r(&start, &tm))
		strftime(when, sizeof(when), ", from %Y-%m-%d %H:%M:%S", &tm);
	number_duration(wall, sizeof(wall), r->wall_s * 1e9, t->terminal.utf8);
	if (r->processes > 1 || p->count > 1)
		print_fact(t, "processes",
			   "%" PRIu32 "%s, the first is %" PRIu32 "; wall time %s%s", r->processes,
			   p->count > 1 ? " groups" : "", p->pid, wall, when);
	else
		print_fact(t, "process", "%" PRIu32 ", %s; wall time %s%s", p->pid,
			   end_words(r, p->end_state), wall, when);
}

static void print_clock(struct text *t, const char *name, const struct prof_clock *c)
{
	char tick[32], read[32];

	number_duration(tick, sizeof(tick), c->tick_ns, t->terminal.utf8);
	number_duration(read, sizeof(read), c->read_ns, t->terminal.utf8);
	print_fact(t, name, "%s%s, one tick %s; a reading costs %s", report_clock_name(c->kind),
		   c->flags & SCP_CLOCK_RANDOMIZED ? " (randomised)" : "", tick, read);
}

/* What was taken off, and what watching cost the program in all. */
static void print_overhead(struct text *t)
{
	const struct report *r = t->report;
	const struct report_overhead *o = &r->overhead;
	char inside[32], error[32], outside[32], all[32], share[32];
	bool utf8 = t->terminal.utf8;

	if (!o->measured) {
		print_fact(t, "overhead", "not measured in this run: means include it");
		return;
	}
	number_duration(inside, sizeof(inside), o->inside_ns, utf8);
	number_duration(error, sizeof(error), o->inside_error_ns, utf8);
	number_duration(outside, sizeof(outside), o->outside_ns, utf8);
	number_duration(all, sizeof(all), r->perturbation_ns, utf8);
	number_share(share, sizeof(share), r->time_ns > 0 ? r->perturbation_ns / r->time_ns : NAN);
	print_fact(t, "overhead",
		   "%s a call taken off its time (standard error %s), %s between calls; in all %s, "
		   "%s of the threads' time",
		   inside, error, outside, all, share);
}

static void print_totals(struct text *t)
{
	const struct report *r = t->report;
	char calls[32], in_calls[32], time[32], share[32];

	number_count(calls, sizeof(calls), r->calls);
	/* A call inside another one is part of that one's time already. */
	double outer_ns = r->calls_ns - r->nested_ns;

	number_duration(in_calls, sizeof(in_calls), outer_ns, t->terminal.utf8);
	number_duration(time, sizeof(time), r->time_ns, t->terminal.utf8);
	number_share(share, sizeof(share), r->time_ns > 0 ? outer_ns / r->time_ns : NAN);
	print_fact(t, "calls", "%s in %s, %s of the threads' %s", calls, in_calls, share, time);
	print_fact(t, "intervals", "%.*g %% confidence", 6, 100 * r->confidence);
}

static void print_check(struct text *t)
{
	const struct report *r = t->report;
	char calls[32], nested[32], gaps[32], time[32], off[32];
	bool utf8 = t->terminal.utf8;

	number_duration(calls, sizeof(calls), r->calls_ns, utf8);
	number_duration(nested, sizeof(nested), r->nested_ns, utf8);
	number_duration(gaps, sizeof(gaps), r->gaps_ns, utf8);
	number_duration(time, sizeof(time), r->time_ns, utf8);
	number_duration(off, sizeof(off), fabs(r->remainder_ns), utf8);
	fprintf(t->out, "\n");
	print_fact(t, "check", "calls %s - nested %s + between %s = time %s: %s%s", calls, nested,
		   gaps, time, r->remainder_units ? "off by " : "exact",
		   r->remainder_units ? off : "");
}

void text_shown(struct text *t, uint32_t rows, double shown_ns, double all_ns, const char *of_what)
{
	char share[32];

	if (rows <= t->top)
		return;
	number_share(share, sizeof(share), all_ns > 0 ? shown_ns / all_ns : NAN);
	terminal_style(t->out, &t->terminal, TERMINAL_DIM);
	fprintf(t->out, "\n%" PRIu32 " of %" PRIu32 " rows, %s of %s. All: --top 0\n", t->top, rows,
		share, of_what);
	terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
}

static void print_warnings(struct text *t)
{
	const struct report *r = t->report;

	for (uint32_t i = 0; i < r->warnings; i++) {
		char *safe = utf8_clean(r->warning[i].text, t->terminal.utf8);

		if (!safe)
			return;
		fputc('\n', t->out);
		terminal_style(t->out, &t->terminal, TERMINAL_WARN);
		fprintf(t->out, "warning: %s\n", r->warning[i].code);
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
		fputs("  ", t->out);
		text_wrapped(t, safe, 2, 2);
		free(safe);
	}
}

static int print_table(struct text *t)
{
	switch (t->report->by) {
	case REPORT_BY_GAP:
		return text_gaps(t);
	case REPORT_BY_THREAD:
		return text_threads(t);
	case REPORT_BY_PROCESS:
		return text_processes(t);
	default:
		return text_sites(t);
	}
}

int report_text(struct report *r, const struct report_options *o, FILE *out)
{
	struct text t = {.report = r, .options = o, .out = out};
	int status;

	t.terminal = terminal_of(out, o->width);
	t.top = o->top == REPORT_TOP_DEFAULT ? TOP_DEFAULT : o->top ? o->top : UINT32_MAX;
	if (r->first)
		print_run(&t);
	print_clock(&t, "clock", &r->profile->clock);
	if (r->profile->slow.kind != SCP_CLOCK_NONE)
		print_clock(&t, "slow clock", &r->profile->slow);
	print_overhead(&t);
	print_totals(&t);
	status = print_table(&t);
	if (status == 0)
		status = text_displaced(&t);
	if (r->by == REPORT_BY_GAP || r->by == REPORT_BY_THREAD)
		print_check(&t);
	print_warnings(&t);
	return status;
}
