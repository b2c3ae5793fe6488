// SPDX-License-Identifier: GPL-3.0-or-later
/* A comparison finds a change that exceeds its margin plus a multiple of its standard error, which
 * falls with the square root of the number of calls. */
#include "cli/plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/text/text.h"
#include "report/wording/utf8.h"

/* The standard errors of the pilot run are estimates, and those of a later run may be larger:
 * enough calls for a power of 0.99 if they are right. */
#define RESERVE 1.3

static struct plan_change_need need_of(const struct diff_site *s, enum diff_quantity of,
				       double change)
{
	const struct diff_finding *f = &s->found[of];
	struct plan_change_need n = {NAN, NAN};
	double now;

	if (f->status != DIFF_SAME)
		return n;
	n.now = f->shown.detectable;
	double room = log1p(change) - f->shown.margin;
	now = log(f->shown.detectable) - f->shown.margin;
	n.calls = room > 0 ? ceil(RESERVE * s->side[DIFF_BASE].calls * (now / room) * (now / room))
			   : INFINITY;
	return n;
}

static void add_site(struct plan_change *p, uint32_t at, double change)
{
	struct plan_change_site *s = &p->site[p->sites++];

	s->site = at;
	for (int of = 0; of < DIFF_QUANTITIES; of++)
		s->need[of] = need_of(&p->diff->site[at], (enum diff_quantity)of, change);
	p->states |= p->diff->site[at].states;
}

static void add_up(struct plan_change *p, enum diff_quantity of)
{
	struct plan_change_sum *sum = &p->sum[of];

	sum->factor = 1;
	for (uint32_t i = 0; i < p->sites; i++) {
		double calls = p->site[i].need[of].calls;

		sum->unknown += isnan(calls);
		sum->never += isinf(calls);
		if (!isfinite(calls))
			continue;
		sum->within++;
		sum->factor = fmax(sum->factor,
				   calls / p->diff->site[p->site[i].site].side[DIFF_BASE].calls);
	}
}

/* Sites that wait are chosen only if none works, as in the plan of sites. */
static void choose(struct plan_change *p, const struct plan_options *o)
{
	const struct diff *d = p->diff;
	bool works = false;
	double all_ns = d->side[DIFF_BASE].total_ns;

	for (uint32_t i = 0; i < d->sites; i++)
		works = works || !d->site[i].waiting;
	for (uint32_t i = 0; i < d->sites && !works; i++)
		all_ns += d->site[i].side[DIFF_BASE].total_ns;
	for (uint32_t i = 0; i < d->sites; i++)
		if (d->site[i].waiting != works &&
		    d->site[i].side[DIFF_BASE].total_ns > o->share * all_ns)
			add_site(p, i, o->change);
}

static int build(struct plan_change *p, const struct profile *profile, const struct plan_options *o)
{
	struct diff_options options = DIFF_OPTIONS_DEFAULT;
	struct profile_error why;

	*p = (struct plan_change){.both = {profile, profile}};
	options.by = o->by;
	options.confidence = o->confidence;
	p->diff = diff_model_build(p->both, 2, 1, &options, &why);
	if (!p->diff)
		return -1;
	p->site = calloc(p->diff->sites + 1, sizeof(*p->site));
	if (!p->site)
		return -1;
	p->calls = p->diff->side[DIFF_BASE].calls;
	choose(p, o);
	for (int of = 0; of < DIFF_QUANTITIES; of++)
		add_up(p, (enum diff_quantity)of);
	return 0;
}

static void end(struct plan_change *p)
{
	diff_model_free(p->diff);
	free(p->site);
	*p = (struct plan_change){0};
}

/* ---- as text: a sentence and the sites ---- */

enum { FUNCTION, OUTCOME, CALLS, NOW, NEEDED, CPU_NOW, CPU_NEEDED, VERDICT, COLUMNS };

static const struct table_column columns[] = {
	[FUNCTION] = {"FUNCTION", .least = 8, .style = TERMINAL_NAME},
	[OUTCOME] = {"OUTCOME", .drop = 5},
	[CALLS] = {"CALLS", .right = true, .drop = 2},
	[NOW] = {"SEEN NOW", .right = true, .style = TERMINAL_BOLD},
	[NEEDED] = {"CALLS NEEDED", .right = true, .style = TERMINAL_BOLD},
	[CPU_NOW] = {"CPU SEEN NOW", .right = true, .style = TERMINAL_BOLD},
	[CPU_NEEDED] = {"CPU CALLS NEEDED", .right = true, .style = TERMINAL_BOLD},
	[VERDICT] = {.title = ""},
	[COLUMNS] = {0},
};

static void need_cells(struct table *table, const struct plan_change_need *n, int now, int needed)
{
	char text[40];

	if (isfinite(n->now)) {
		diff_words_percent(text, sizeof(text), n->now, n->now);
		table_cell(table, now, text);
	}
	if (isfinite(n->calls))
		table_cell(table, needed, plan_words_count(n->calls).text);
}

/* The reason why there is no number of calls; "" if there is one. */
static void verdict_words(const struct plan_change *p, const struct plan_change_site *c, char *text,
			  size_t room)
{
	const struct diff_site *s = &p->diff->site[c->site];
	const struct plan_change_need *elapsed = &c->need[DIFF_ELAPSED];
	const struct plan_change_need *cpu = &c->need[DIFF_CPU_TIME];

	*text = '\0';
	if (isinf(elapsed->calls) || isinf(cpu->calls))
		snprintf(text, room, "not with one run a side");
	else if (isnan(elapsed->calls) && isnan(cpu->calls))
		diff_words(p->diff, s, text, room);
	else if (isnan(elapsed->calls))
		snprintf(text, room, "elapsed time: %s", s->found[DIFF_ELAPSED].reason);
	else if (isnan(cpu->calls) && s->states)
		snprintf(text, room, "CPU time: %s", s->found[DIFF_CPU_TIME].reason);
}

static void add_row(struct text *t, struct table *table, const struct plan_change *p,
		    const struct plan_change_site *c)
{
	const struct diff_site *s = &p->diff->site[c->site];
	char text[DIFF_WORDS], *line, *safe;

	table_row(table);
	text_cell_put(t, table, FUNCTION, s->symbol);
	if (strcmp(s->outcome, "completed") != 0)
		table_cell(table, OUTCOME, s->outcome);
	table_cell(table, CALLS, plan_words_count(s->side[DIFF_BASE].calls).text);
	need_cells(table, &c->need[DIFF_ELAPSED], NOW, NEEDED);
	need_cells(table, &c->need[DIFF_CPU_TIME], CPU_NOW, CPU_NEEDED);
	verdict_words(p, c, text, sizeof(text));
	if (*text)
		table_cell(table, VERDICT, text);
	line = diff_path_frames(p->diff, s) ? diff_path_frame_line(p->diff, s, 0) : NULL;
	safe = line ? utf8_clean(line, t->terminal.utf8) : NULL;
	if (safe)
		table_note(table, safe);
	free(line);
	free(safe);
}

/* `of_what`: "a change of 5 % of CPU time". */
static void print_sentence(const struct plan_change *p, const struct plan_change_sum *sum,
			   const struct plan_options *o, const char *of_what)
{
	const struct numbered percent = plan_words_percent(o->change);
	const char *change = percent.text;
	char calls[40];

	numbers_plain(calls, sizeof(calls), ceil(sum->factor * p->calls));
	if (!sum->within)
		printf("No site above %.6g %% of time would show a change of %s%s between two "
		       "runs, however long\n",
		       100 * o->share, change, of_what);
	else if (sum->factor > 1)
		printf("%s times this run, %s calls of all kinds in each of the two, and a "
		       "change of %s%s at one of %" PRIu32 " sites is found 95 times in 100\n",
		       numbered_digits(sum->factor, 3).text, calls, change, of_what, sum->within);
	else
		printf("Two runs like this one are enough: a change of %s%s at one of %" PRIu32
		       " sites is found 95 times in 100\n",
		       change, of_what, sum->within);
	if (sum->never)
		printf("%" PRIu32 "%s too few others of their kind to tell them from the "
		       "machine: give scprof diff several runs a side\n",
		       sum->never,
		       sum->within	 ? " more have"
		       : sum->never == 1 ? " site has"
					 : " sites have");
}

static int print_text(const struct plan_change *p, const struct plan_options *o)
{
	struct text t = {.terminal = terminal_of(stdout, 0), .out = stdout};
	struct table table;

	if (p->states)
		print_sentence(p, &p->sum[DIFF_CPU_TIME], o, " of CPU time");
	print_sentence(p, &p->sum[DIFF_ELAPSED], o, p->states ? " of elapsed time" : "");
	table_begin(&table, columns, "CALLED FROM");
	for (uint32_t i = 0; i < p->sites; i++)
		add_row(&t, &table, p, &p->site[i]);
	int status = table_print(&table, stdout, &t.terminal);
	table_end(&table);
	return status;
}

/* ---- JSON ---- */

static void put_need(struct json_writer *w, const struct diff_site *s, enum diff_quantity of,
		     const struct plan_change_need *n)
{
	json_write_number(w, "detectable", n->now);
	plan_words_put(w, "calls_needed", n->calls);
	json_write_text(w, "reason", s->found[of].reason);
}

static void put_site(struct json_writer *w, const struct plan_change *p,
		     const struct plan_change_site *c)
{
	const struct diff_site *s = &p->diff->site[c->site];

	json_write_open(w, NULL, '{');
	JSON_MEMBERS(w, s, symbol, library, outcome);
	json_write_number(w, "calls", s->side[DIFF_BASE].calls);
	put_need(w, s, DIFF_ELAPSED, &c->need[DIFF_ELAPSED]);
	if (json_write_open_known(w, "cpu", s->states)) {
		put_need(w, s, DIFF_CPU_TIME, &c->need[DIFF_CPU_TIME]);
		json_write_close(w, '}');
	}
	json_write_close(w, '}');
}

static void put_sum(struct json_writer *w, const struct plan_change_sum *sum)
{
	json_write_number(w, "factor", sum->within ? sum->factor : NAN);
	JSON_MEMBERS(w, sum, within, never, unknown);
}

static int print_json(const struct plan_change *p, const struct plan_options *o)
{
	struct json_writer json = {.out = stdout, .indent = true}, *w = &json;

	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-plan/1");
	JSON_MEMBERS(w, o, confidence, change, share);
	JSON_PUT(w, "by", report_names_by(o->by), "calls", p->calls);
	put_sum(w, &p->sum[DIFF_ELAPSED]);
	if (json_write_open_known(w, "cpu", p->states)) {
		put_sum(w, &p->sum[DIFF_CPU_TIME]);
		json_write_close(w, '}');
	}
	json_write_open(w, "sites", '[');
	for (uint32_t i = 0; i < p->sites; i++)
		put_site(w, p, &p->site[i]);
	json_write_close(w, ']');
	json_write_close(w, '}');
	return json_write_finish(w);
}

int plan_change_print(const struct profile *profile, const struct plan_options *o)
{
	struct plan_change p;
	int status = build(&p, profile, o);

	if (!status)
		status = o->json ? print_json(&p, o) : print_text(&p, o);
	end(&p);
	return status;
}
