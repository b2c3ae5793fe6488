// SPDX-License-Identifier: GPL-3.0-or-later
/* The slowest calls, one object each, with the instants both as seconds after the start
 * and as times of day to the nanosecond, to be found again in a log. */
#include "report/render/json/json_stack.h"
#include "report/render/json/json.h"

static void put_call(struct json_writer *w, struct report *r, const struct report_slowest *s,
		     struct json_stack_cache *cache)
{
	const struct prof_function *f = &r->profile->function[s->place.function];

	json_write_open(w, NULL, '{');
	json_write_text(w, "symbol", f->name);
	json_write_text(w, "library", f->library);
	json_write_text(w, "outcome", report_names_outcome(&s->place));
	json_write_count_if(w, "bytes", s->place.has_bytes, s->place.bytes);
	json_write_number(w, "duration_ns", s->duration_ns);
	json_write_number(w, "duration_low_ns", s->low_ns);
	json_write_number(w, "duration_high_ns", s->high_ns);
	json_write_count(w, "ticks", s->ticks);
	json_write_count_if(w, "slow_ticks", r->profile->slow.kind != SCP_CLOCK_NONE,
			    s->slow_ticks);
	json_write_number(w, "began_s", s->began_s);
	json_write_number(w, "ended_s", s->ended_s);
	json_write_time(w, "began", s->began_real_ns, 9);
	json_write_time(w, "ended", s->ended_real_ns, 9);
	json_write_count(w, "pid", s->pid);
	json_write_count(w, "tid", s->tid);
	json_write_text(w, "thread", s->thread);
	json_stack_write(w, r, &s->place, cache);
	json_write_close(w, '}');
}

void json_slowest_write(struct json_writer *w, struct report *r, uint32_t shown,
			struct json_stack_cache *cache)
{
	const struct scp_slowest_asked *asked = &r->profile->slowest_asked;

	json_write_open(w, "slowest_asked", '{');
	json_write_count(w, "count", asked->count);
	json_write_count(w, "least_ns", asked->least_ns);
	json_write_flag(w, "chosen", asked->flags & SCP_SLOWEST_CHOSEN);
	json_write_close(w, '}');
	json_write_open(w, "slowest", '[');
	for (uint32_t i = 0; i < shown; i++)
		put_call(w, r, &r->slowest[i], cache);
	json_write_close(w, ']');
}
