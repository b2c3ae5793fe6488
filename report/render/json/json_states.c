// SPDX-License-Identifier: GPL-3.0-or-later
/* Where time went: of a site, of all threads, and how it is known. */
#include "report/render/json/json.h"

#include <math.h>

#include "report/model/model.h"
#include "report/model/sites.h"

void json_states_write_site(struct json_writer *w, const struct report_site *s)
{
	const struct report_states *t = &s->states;

	if (json_write_open_known(w, "states", t->known)) {
		json_write_count(w, "switched_calls", t->switched_calls);
		json_write_open(w, "unswitched", '{');
		json_write_count(w, "calls", t->calls - t->switched_calls);
		json_write_fields(w, row_fields_interval, &t->unswitched, true);
		json_write_close(w, '}');
		json_write_object(w, "on_cpu", row_fields_interval, &t->on_cpu);
		json_write_object(w, "runnable", row_fields_interval, &t->runnable);
		json_write_object(w, "asleep", row_fields_interval, &t->asleep);
		json_write_bits(w, "doubts", states_doubts(t), reliability_name);
		json_write_close(w, '}');
	}
	json_write_object(w, "charged_ns", row_fields_interval, t->known ? &t->charged : NULL);
}

void json_states_write_threads(struct json_writer *w, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double in_calls = t->known ? t->explained_in_calls_s : NAN;
	double all = t->known ? t->explained_s : NAN;
	double recording = t->known ? t->explained_recording_s : NAN;

	json_write_open(w, "threads_s", '{');
	json_write_fields(w, row_fields_threads_time, t, t->known);
	json_write_close(w, '}');
	json_write_open(w, "charged_s", '{');
	json_write_number(w, "in_calls", in_calls);
	json_write_number(w, "outside", all - in_calls - recording);
	json_write_number(w, "recording", recording);
	json_write_number(w, "not_recorded", t->known ? threads_time_not_recorded_s(r) : NAN);
	json_write_number(w, "threads", t->known ? t->charged_s : NAN);
	json_write_number(w, "processes", r->ledger.cpu_s);
	json_write_close(w, '}');
	json_write_number(w, "charged_difference", threads_time_difference(r));
}

static void put_flags(struct json_writer *w, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{SCP_SWITCH_OFF, "off"},
		{SCP_SWITCH_EXACT, "exact"},
		{SCP_SWITCH_NO_LIBC, "no-libc"},
		{SCP_SWITCH_DISABLED, "disabled"},
		{SCP_SWITCH_NO_PERF, "no-perf"},
		{SCP_SWITCH_MISSED, "missed"},
		{SCP_SWITCH_SANDBOX, "sandbox"},
		{SCP_SWITCH_NO_DELAY, "no-delay"},
		{SCP_SWITCH_CPU_CLOCK, "cpu-clock"},
		{SCP_SWITCH_SHARED, "shared"},
		{SCP_SWITCH_MIXED, "mixed"},
	};

	json_write_open(w, "flags", '[');
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (flags & names[i].flag)
			json_write_text(w, NULL, names[i].name);
	json_write_close(w, ']');
}

void json_states_write_switches(struct json_writer *w, const struct profile *p)
{
	const struct scp_switches *s = &p->switches;

	json_write_open(w, "switches", '{');
	json_write_text(w, "detector", report_names_detector(s->detector));
	put_flags(w, s->flags);
	json_write_fields(w, row_fields_switches, s, true);
	json_write_close(w, '}');
}

void json_states_write_call(struct json_writer *w, const struct report_slowest *s)
{
	static const char *const names[] = {[SCP_SLOWEST_UNKNOWN] = NULL,
					    [SCP_SLOWEST_RAN] = "ran",
					    [SCP_SLOWEST_SWITCHED] = "switched",
					    [SCP_SLOWEST_READ] = "read"};

	json_write_text(w, "state", s->state <= SCP_SLOWEST_READ ? names[s->state] : NULL);
	json_write_number(w, "runnable_ns", s->runnable_ns);
	json_write_number(w, "asleep_ns", s->asleep_ns);
}
