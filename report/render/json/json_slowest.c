// SPDX-License-Identifier: GPL-3.0-or-later
/* The slowest calls, one object each, with the instants both as seconds after the start
 * and as times of day to the nanosecond, to be found again in a log.
 */
#include "report/render/json/json.h"

#include <stdio.h>
#include <time.h>

static json_t *instant(uint64_t real_ns)
{
	time_t seconds = (time_t)(real_ns / 1000000000u);
	char day[40], text[64];
	struct tm tm;

	if (!real_ns || !gmtime_r(&seconds, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm))
		return json_null();
	snprintf(text, sizeof(text), "%s.%09uZ", day, (unsigned)(real_ns % 1000000000u));
	return json_string(text);
}

static json_t *call_of(struct report *r, const struct report_slowest *s)
{
	const struct prof_function *f = &r->profile->function[s->place.function];
	bool dual = r->profile->slow.kind != SCP_CLOCK_NONE;
	json_t *o = json_object();
	int failed = 0;

	json_parts_put(o, "symbol", json_parts_text(f->name), &failed);
	json_parts_put(o, "library", json_parts_text(f->library), &failed);
	json_parts_put(o, "outcome", json_parts_text(words_outcome_name(&s->place)), &failed);
	json_parts_put(o, "bytes",
		       s->place.has_bytes ? json_parts_count(s->place.bytes) : json_null(),
		       &failed);
	json_parts_put(o, "duration_ns", json_parts_number(s->duration_ns), &failed);
	json_parts_put(o, "duration_low_ns", json_parts_number(s->low_ns), &failed);
	json_parts_put(o, "duration_high_ns", json_parts_number(s->high_ns), &failed);
	json_parts_put(o, "ticks", json_parts_count(s->ticks), &failed);
	json_parts_put(o, "slow_ticks", dual ? json_parts_count(s->slow_ticks) : json_null(),
		       &failed);
	json_parts_put(o, "began_s", json_parts_number(s->began_s), &failed);
	json_parts_put(o, "ended_s", json_parts_number(s->ended_s), &failed);
	json_parts_put(o, "began", instant(s->began_real_ns), &failed);
	json_parts_put(o, "ended", instant(s->ended_real_ns), &failed);
	json_parts_put(o, "pid", json_parts_count(s->pid), &failed);
	json_parts_put(o, "tid", json_parts_count(s->tid), &failed);
	json_parts_put(o, "thread", json_parts_text(s->thread), &failed);
	json_parts_put(o, "path", json_parts_text(json_parts_path_name(&s->place)), &failed);
	json_parts_put(o, "stack", json_parts_stack(r, &s->place, &failed), &failed);
	if (failed) {
		json_decref(o);
		return NULL;
	}
	return o;
}

void json_slowest(json_t *doc, struct report *r, uint32_t shown, int *failed)
{
	const struct scp_slowest_asked *asked = &r->profile->slowest_asked;
	json_t *o = json_object(), *calls = json_array();

	json_parts_put(o, "count", json_parts_count(asked->count), failed);
	json_parts_put(o, "least_ns", json_parts_count(asked->least_ns), failed);
	json_parts_put(o, "chosen", json_boolean(asked->flags & SCP_SLOWEST_CHOSEN), failed);
	json_parts_put(doc, "slowest_asked", o, failed);
	for (uint32_t i = 0; i < shown; i++)
		*failed += json_array_append_new(calls, call_of(r, &r->slowest[i])) < 0;
	json_parts_put(doc, "slowest", calls, failed);
}
