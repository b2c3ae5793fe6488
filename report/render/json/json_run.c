// SPDX-License-Identifier: GPL-3.0-or-later
/* What ran, with which clock, and what of it was recorded. */
#include "report/render/json/json.h"

#include <math.h>
#include <string.h>

#include "report/findings/findings.h"
#include "report/model/model.h"

void json_run_argv(struct json_writer *w, const struct prof_process *p)
{
	json_write_texts(w, "argv", p ? (const char *const *)p->argv : NULL, p ? p->argc : 0);
}

void json_run_end_value(struct json_writer *w, const struct prof_process *p)
{
	json_write_number(w, "status", p->end.seen == SCP_END_STATUS ? p->end.value : NAN);
	json_write_number(w, "signal", p->end.seen == SCP_END_SIGNAL ? p->end.value : NAN);
}

static void put_program(struct json_writer *w, const struct report *r)
{
	const struct prof_process *first = r->asked;

	json_write_open(w, "program", '{');
	json_write_text(w, "name", first ? first->program : NULL);
	json_write_text(w, "exe", first ? first->exe : NULL);
	json_run_argv(w, first);
	JSON_LIST(w, "pids", e, r->process, r->processes,
		  json_write_count(w, NULL, e->process->pid));
	json_write_time(w, "start", r->start_real_ns, 3);
	JSON_MEMBERS(w, r, wall_s, runs);
	if (json_write_open_known(w, "ended", first)) {
		const struct prof_process *command = process_end_of_command(r);

		json_write_text(w, "how", process_end_name(command));
		json_run_end_value(w, command);
		json_write_close(w, '}');
	}
	json_write_close(w, '}');
}

static void put_programs(struct json_writer *w, const struct report *r)
{
	json_write_flag(w, "apart", r->apart);
	json_write_open_lines(w, "programs", '[');
	for (const struct report_program *p = r->program; p < r->program + r->programs; p++) {
		json_write_open(w, NULL, '{');
		JSON_PUT(w, "name", p->name, "exe", p->first->exe);
		json_run_argv(w, p->first);
		json_write_time(w, "start", p->first->start_real_ns, 3);
		JSON_MEMBERS(w, p, processes, runs, wall_s, cpu_s, threads, calls, calls_ns,
			     waiting_ns, time_ns, sites);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

/* `synchronous`: below 0, not tested. */
static void put_clock(struct json_writer *w, const char *key, const struct prof_clock *c,
		      int synchronous)
{
	if (!json_write_open_known(w, key, c->kind != SCP_CLOCK_NONE))
		return;
	json_write_text(w, "name", report_names_clock(c->kind));
	JSON_MEMBERS(w, c, tick_ns, read_ns);
	json_write_flag(w, "randomized", c->flags & SCP_CLOCK_RANDOMIZED);
	if (synchronous < 0)
		json_write_null(w, "synchronous");
	else
		json_write_flag(w, "synchronous", synchronous);
	json_write_text(w, "requested",
			c->requested == SCP_CLOCK_NONE ? NULL : report_names_clock(c->requested));
	json_write_flag(w, "fallback", c->flags & SCP_CLOCK_FALLBACK);
	JSON_PUT(w, "unit_ns", c->ns_per_unit, "rate_error", c->rate_error);
	json_write_close(w, '}');
}

/* null where nothing was left out. */
static void put_filters(struct json_writer *w, const struct profile *p)
{
	static const char *const keys[] = {
		"below=", "thread=", "depth=",	 "python=", "native=",	       "after=",
		"for=",	  "signal=", "stopped=", "until=",  SCP_FILTER_IGNORED};

	if (!json_write_open_known(w, "filters", p->filters_bytes))
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		char name[16];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(keys[i], "="), keys[i]);
		json_write_open(w, name, '[');
		for (const char *v = NULL; (v = filters_text(p, keys[i], v));)
			json_write_text(w, NULL, v);
		json_write_close(w, ']');
	}
	json_write_flag(w, "differ", p->flags & SCP_FILE_FILTERS_DIFFER);
	json_write_close(w, '}');
}

/* Of the first run that was put into the profile. */
static void put_until(struct json_writer *w, const struct profile *p)
{
	const char *text = filters_text(p, PROF_FILTER_STOP, NULL);
	double relative, after_s, sites;
	char ended[16] = "";
	bool known =
		text && sscanf(text, "%lf %lf %lf %15s", &relative, &after_s, &sites, ended) >= 3;

	if (!json_write_open_known(w, "until", known))
		return;
	JSON_PUT(w, "relative", relative, "reached", (bool)(after_s > 0));
	JSON_PUT(w, "after_s", after_s > 0 ? after_s : NAN, "sites", sites);
	json_write_text(w, "ended_by", *ended ? ended : NULL);
	json_write_close(w, '}');
}

static void put_recorded(struct json_writer *w, const struct profile *p)
{
	if (!json_write_open_known(w, "recorded", p->flags & SCP_FILE_WINDOWS))
		return;
	json_write_number(w, "recorded_s", (double)p->recorded_ns / 1e9);
	json_write_number(w, "lived_s", (double)p->recorded_of_ns / 1e9);
	json_write_number(w, "share", filter_summary_recorded_share(p));
	json_write_count(w, "windows", p->windows);
	put_until(w, p);
	json_write_close(w, '}');
}

/* null where nobody went to a process that ran. */
static void put_attached(struct json_writer *w, const struct profile *p)
{
	uint64_t processes;
	struct prof_attached a = attach_summary_of(p, &processes);

	if (!json_write_open_known(w, "attach", a.known))
		return;
	JSON_PUT(w, "processes", processes, "stopped_ms", (double)a.stopped_ns / 1e6);
	json_write_number(w, "stopped_total_ms", (double)a.stopped_total_ns / 1e6);
	json_write_number(w, "ran_s", a.ran_ns ? (double)a.ran_ns / 1e9 : NAN);
	JSON_MEMBERS(w, &a, threads, in_calls);
	json_write_flag(w, "detached", a.flags & SCP_ATTACHED_DETACHED);
	json_write_flag(w, "woken", a.flags & SCP_ATTACHED_WOKEN);
	JSON_OBJECT_OF(w, "slots", &a.slots, written, unbound, other, failed, put_back, changed,
		       gone, objects, kept, skipped);
	json_write_close(w, '}');
}

void json_run_write(struct json_writer *w, const struct report *r)
{
	put_program(w, r);
	put_programs(w, r);
	put_clock(w, "clock", &r->profile->clock, r->synchronous);
	put_clock(w, "slow_clock", &r->profile->slow, r->slow_synchronous);
	put_filters(w, r->profile);
	put_recorded(w, r->profile);
	put_attached(w, r->profile);
}
