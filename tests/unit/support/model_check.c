// SPDX-License-Identifier: GPL-3.0-or-later
/* Invariants and equality of models, for the unit tests and the fuzzer. */
#include "tests/unit/support/model_check.h"

#include <math.h>
#include <string.h>

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return #condition;                                                         \
	} while (0)

static const char *check_batches(const struct prof_batches *b)
{
	REQUIRE(b->count <= SCP_BATCHES);
	REQUIRE(b->count == 0 || (b->calls && (b->calls & (b->calls - 1)) == 0));
	return NULL;
}

static const char *check_paths(const struct profile *p)
{
	for (uint32_t i = 0; i < p->paths; i++) {
		REQUIRE(p->path[i].frames <= SCP_MAX_FRAMES);
		for (uint32_t k = 0; k < p->path[i].frames; k++) {
			uint32_t m = p->path[i].frame[k].module;

			REQUIRE(m == PROF_NO_MODULE || m < p->modules ||
				(m == PROF_SOURCE && p->path[i].frame[k].offset < p->source_lines));
		}
	}
	return NULL;
}

static bool is_clean(const char *text, size_t room)
{
	size_t length = strnlen(text, room);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return length < room;
}

static const char *check_samples(const struct profile *p)
{
	for (uint32_t i = 0; i < p->samples; i++) {
		const struct prof_sample *s = &p->sample[i];

		REQUIRE(s->process < p->processes && s->kind < SCP_SAMPLE_KINDS);
		REQUIRE(s->path == PROF_NONE ? s->kind != SCP_SAMPLE_COMPUTING
					     : s->path < p->paths);
		for (uint32_t k = 0; k < SCP_SAMPLE_BATCHES; k++)
			REQUIRE(s->count[k] <= SCP_SAMPLE_COUNT_MAX);
	}
	return NULL;
}

static const char *check_source(const struct profile *p)
{
	REQUIRE(p->modules <= PROF_SOURCE);
	for (uint32_t i = 0; i < p->source_functions; i++) {
		REQUIRE(is_clean(p->source_function[i].name, SCP_SOURCE_NAME_MAX));
		REQUIRE(is_clean(p->source_function[i].file, SCP_SOURCE_FILE_MAX));
	}
	for (uint32_t i = 0; i < p->source_lines; i++)
		REQUIRE(p->source_line[i].function < p->source_functions);
	for (uint32_t i = 0; i < p->generateds; i++) {
		const struct prof_generated *g = &p->generated[i];

		REQUIRE(g->bytes && g->start + g->bytes >= g->start);
		REQUIRE(is_clean(g->name, SCP_SOURCE_NAME_MAX));
	}
	return NULL;
}

static const char *check_states(const struct prof_sums *s)
{
	const struct prof_states *t = s->states;

	REQUIRE(s->detector <= SCP_SWITCH_PERF);
	if (!t)
		return NULL;
	REQUIRE(s->detector != SCP_SWITCH_NONE && t->detector == s->detector);
	REQUIRE(t->from_calls <= s->calls && t->calls <= s->calls - t->from_calls);
	REQUIRE(t->from_units <= s->units && t->units <= s->units - t->from_units);
	REQUIRE(!t->batches || s->batches.count);
	REQUIRE(t->readings <= (t->detector == SCP_SWITCH_SAMPLED ? s->calls : t->calls));
	return NULL;
}

static const char *check_entries(const struct profile *p)
{
	uint64_t torn = 0;

	for (uint32_t i = 0; i < p->entries; i++) {
		const struct prof_entry *e = &p->entry[i];
		const char *bad = check_batches(&e->sums.batches);

		REQUIRE(e->table < p->tables && e->path < p->paths);
		REQUIRE(e->function < p->functions && e->outcome < SCP_OUTCOMES);
		if (!bad && e->sums.slow)
			bad = check_batches(&e->sums.slow->batches);
		bad = bad ? bad : check_states(&e->sums);
		if (bad)
			return bad;
		REQUIRE(!e->sums.line || (e->sums.has_bytes && e->sums.batches.count));
		torn += e->torn;
	}
	REQUIRE(torn == p->torn_entries);
	return NULL;
}

static const char *check_tables(const struct profile *p)
{
	for (uint32_t i = 0; i < p->tables; i++) {
		uint64_t calls = 0, gaps = 0;

		REQUIRE(p->table[i].process < p->processes);
		REQUIRE(memchr(p->table[i].name, 0, sizeof p->table[i].name));
		REQUIRE(p->table[i].states.detector <= SCP_SWITCH_PERF);
		REQUIRE(p->table[i].states.stolen_ns <= p->table[i].states.ran_ns);
		for (uint32_t k = 0; k < p->entries; k++)
			calls += p->entry[k].table == i ? p->entry[k].sums.units : 0;
		for (uint32_t k = 0; k < p->gaps; k++)
			gaps += p->gap[k].table == i ? p->gap[k].units : 0;
		REQUIRE(calls == p->table[i].call_units && gaps == p->table[i].gap_units);
	}
	return NULL;
}

static const char *check_rest(const struct profile *p)
{
	for (uint32_t i = 0; i < p->gaps; i++) {
		const struct prof_gap *g = &p->gap[i];

		REQUIRE(g->table < p->tables);
		REQUIRE(g->from == PROF_NONE || g->from < p->entries);
		REQUIRE(g->to == PROF_NONE || g->to < p->entries);
		REQUIRE(g->from == PROF_NONE || p->entry[g->from].table == g->table);
	}
	for (uint32_t i = 0; i < p->processes; i++) {
		REQUIRE(p->process[i].exe && p->process[i].program && p->process[i].argv &&
			p->process[i].file);
		REQUIRE(p->process[i].argv[p->process[i].argc] == NULL);
		REQUIRE(p->process[i].count > 0);
	}
	for (uint32_t i = 0; i < p->looks; i++) {
		const struct prof_look *k = &p->look[i];

		REQUIRE(k->table < p->tables && k->function < p->functions);
		REQUIRE(k->calls && k->timed <= k->calls && k->timed <= k->weight);
	}
	REQUIRE(p->slowests <= p->slowest_asked.count);
	REQUIRE(p->slowest_asked.count <= SCP_SLOWEST_MAX);
	for (uint32_t i = 0; i < p->slowests; i++) {
		REQUIRE(p->slowest[i].entry < p->entries);
		REQUIRE(memchr(p->slowest[i].name, 0, sizeof p->slowest[i].name));
		REQUIRE(i == 0 || p->slowest[i].units <= p->slowest[i - 1].units);
		REQUIRE(p->slowest[i].state <= SCP_SLOWEST_READ);
	}
	REQUIRE(p->switches.detector <= SCP_SWITCH_PERF);
	REQUIRE(p->clock.ns_per_unit > 0 && isfinite(p->clock.ns_per_unit));
	return NULL;
}

const char *model_check(const struct profile *p)
{
	const char *bad = check_paths(p);

	bad = bad ? bad : check_entries(p);
	bad = bad ? bad : check_source(p);
	bad = bad ? bad : check_samples(p);
	bad = bad ? bad : check_tables(p);
	return bad ? bad : check_rest(p);
}

static bool same_batches(const struct prof_batches *a, const struct prof_batches *b)
{
	return a->count == b->count && (a->count == 0 || a->calls == b->calls) &&
	       (a->count == 0 || memcmp(a->sum, b->sum, a->count * sizeof a->sum[0]) == 0);
}

static const char *compare_slow(const struct prof_slow *x, const struct prof_slow *y)
{
	REQUIRE(!x == !y);
	if (!x)
		return NULL;
	REQUIRE(x->units == y->units && x->max_units == y->max_units);
	REQUIRE(x->units_sq == y->units_sq && same_batches(&x->batches, &y->batches));
	return NULL;
}

static const char *compare_lines(const struct prof_line *x, const struct prof_line *y,
				 uint32_t slots)
{
	REQUIRE(!x == !y);
	for (uint32_t i = 0; x && i < slots; i++) {
		REQUIRE(x->bytes[i] == y->bytes[i]);
		REQUIRE(x->bytes_sq[i] == y->bytes_sq[i]);
		REQUIRE(x->bytes_units[i] == y->bytes_units[i]);
	}
	return NULL;
}

static const char *compare_tails(const struct prof_tail *x, const struct prof_tail *y,
				 uint32_t slots)
{
	REQUIRE(!x == !y);
	if (!x)
		return NULL;
	REQUIRE(x->first == y->first && x->octaves == y->octaves);
	for (uint32_t i = 0; i < slots; i++)
		REQUIRE(memcmp(x->calls[i], y->calls[i], x->octaves * sizeof x->calls[i][0]) == 0);
	return NULL;
}

static const char *compare_apart(const struct prof_apart *x, const struct prof_apart *y)
{
	REQUIRE(!x == !y);
	if (!x)
		return NULL;
	REQUIRE(x->stretches == y->stretches && x->calls_sq == y->calls_sq);
	REQUIRE(x->calls_units == y->calls_units && x->units_sq == y->units_sq);
	REQUIRE(x->slow_calls_units == y->slow_calls_units);
	REQUIRE(x->slow_units_sq == y->slow_units_sq);
	return NULL;
}

static const char *compare_state_batches(const struct prof_state_batches *x,
					 const struct prof_state_batches *y, uint32_t slots)
{
	size_t bytes = slots * sizeof x->calls[0];

	REQUIRE(!x == !y);
	if (!x)
		return NULL;
	REQUIRE(!memcmp(x->calls, y->calls, bytes) && !memcmp(x->units, y->units, bytes));
	REQUIRE(!memcmp(x->known, y->known, bytes) && !memcmp(x->weighted, y->weighted, bytes));
	REQUIRE(!memcmp(x->runnable_ns, y->runnable_ns, bytes));
	REQUIRE(!memcmp(x->asleep_ns, y->asleep_ns, bytes));
	return NULL;
}

static bool same_counts(const struct prof_blocks *a, const struct prof_blocks *b)
{
	bool same = true;

	for (uint32_t i = 0; i < SCP_HIST_BLOCKS * SCP_HIST_BUCKETS; i++)
		same = same && hist_count(a, i) == hist_count(b, i);
	return same;
}

static const char *compare_states(const struct prof_sums *a, const struct prof_sums *b)
{
	const struct prof_states *x = a->states, *y = b->states;

	REQUIRE(a->detector == b->detector && !x == !y);
	if (!x)
		return NULL;
	REQUIRE(x->detector == y->detector);
	REQUIRE(x->from_calls == y->from_calls && x->from_units == y->from_units);
	REQUIRE(x->calls == y->calls && x->units == y->units && x->units_sq == y->units_sq);
	REQUIRE(x->readings == y->readings && x->switched_weighted == y->switched_weighted);
	REQUIRE(memcmp(&x->off_cpu, &y->off_cpu, sizeof x->off_cpu) == 0);
	REQUIRE(x->runnable_sq == y->runnable_sq && x->asleep_sq == y->asleep_sq);
	REQUIRE(x->runnable_asleep == y->runnable_asleep);
	REQUIRE(x->units_runnable == y->units_runnable && x->units_asleep == y->units_asleep);
	for (int i = 0; i < SCP_STATE_HISTS; i++) {
		REQUIRE(!x->hist[i] == !y->hist[i]);
		REQUIRE(!x->hist[i] || same_counts(x->hist[i], y->hist[i]));
	}
	return compare_state_batches(x->batches, y->batches, a->batches.count);
}

static const char *compare_sums(const struct prof_sums *x, const struct prof_sums *y)
{
	const char *bad;

	REQUIRE(x->calls == y->calls && x->units == y->units && x->units_sq == y->units_sq);
	REQUIRE(x->min_units == y->min_units && x->max_units == y->max_units);
	REQUIRE(x->first_at == y->first_at && x->last_at == y->last_at);
	REQUIRE(x->first_units == y->first_units && x->max_at == y->max_at);
	REQUIRE(x->inner_calls == y->inner_calls);
	REQUIRE(x->has_bytes == y->has_bytes && x->bytes == y->bytes);
	REQUIRE(x->bytes_sq == y->bytes_sq && x->bytes_units == y->bytes_units);
	REQUIRE(same_batches(&x->batches, &y->batches));
	REQUIRE(!x->hist == !y->hist && x->hist_of_one == y->hist_of_one);
	REQUIRE(!x->hist || same_counts(x->hist, y->hist));
	REQUIRE(!x->first == !y->first);
	REQUIRE(!x->first || (x->first->calls == y->first->calls &&
			      !memcmp(x->first->units, y->first->units, sizeof x->first->units)));
	REQUIRE(!x->phase == !y->phase);
	REQUIRE(!x->phase || memcmp(x->phase, y->phase, sizeof *x->phase) == 0);
	bad = compare_apart(x->batches.count ? x->apart : NULL, y->apart);
	bad = bad ? bad : compare_lines(x->line, y->line, x->batches.count);
	bad = bad ? bad : compare_states(x, y);
	bad = bad ? bad : compare_tails(x->tail, y->tail, x->batches.count);
	return bad ? bad : compare_slow(x->slow, y->slow);
}

static const char *compare_entries(const struct profile *a, const struct profile *b)
{
	for (uint32_t i = 0; i < a->entries; i++) {
		const struct prof_entry *x = &a->entry[i], *y = &b->entry[i];
		const char *bad = compare_sums(&x->sums, &y->sums);

		REQUIRE(x->table == y->table && x->path == y->path);
		REQUIRE(x->function == y->function && x->outcome == y->outcome);
		REQUIRE(x->torn == y->torn);
		if (bad)
			return bad;
	}
	for (uint32_t i = 0; i < a->gaps; i++) {
		const struct prof_gap *x = &a->gap[i], *y = &b->gap[i];

		REQUIRE(x->table == y->table && x->from == y->from && x->to == y->to);
		REQUIRE(x->calls == y->calls && x->units == y->units);
		REQUIRE(x->max_units == y->max_units && x->units_sq == y->units_sq);
	}
	return NULL;
}

static const char *compare_source(const struct profile *a, const struct profile *b)
{
	REQUIRE(a->source_functions == b->source_functions);
	REQUIRE(a->source_lines == b->source_lines && a->generateds == b->generateds);
	for (uint32_t i = 0; i < a->source_functions; i++) {
		const struct prof_source_function *x = &a->source_function[i],
						  *y = &b->source_function[i];

		REQUIRE(!strcmp(x->name, y->name) && !strcmp(x->file, y->file));
		REQUIRE(x->first_line == y->first_line && x->language == y->language);
	}
	for (uint32_t i = 0; i < a->source_lines; i++)
		REQUIRE(!memcmp(&a->source_line[i], &b->source_line[i], sizeof a->source_line[i]));
	for (uint32_t i = 0; i < a->generateds; i++) {
		const struct prof_generated *x = &a->generated[i], *y = &b->generated[i];

		REQUIRE(x->start == y->start && x->bytes == y->bytes && x->pid == y->pid);
		REQUIRE(!strcmp(x->name, y->name));
	}
	return NULL;
}

static const char *compare_names(const struct profile *a, const struct profile *b)
{
	for (uint32_t i = 0; i < a->modules; i++) {
		const struct prof_module *x = &a->module[i], *y = &b->module[i];

		REQUIRE(strcmp(x->path, y->path) == 0 && x->build_id_bytes == y->build_id_bytes);
		REQUIRE(memcmp(x->build_id, y->build_id, x->build_id_bytes) == 0);
	}
	for (uint32_t i = 0; i < a->functions; i++) {
		const struct prof_function *x = &a->function[i], *y = &b->function[i];

		REQUIRE(strcmp(x->name, y->name) == 0 && strcmp(x->library, y->library) == 0);
		REQUIRE(x->group == y->group && x->overflow_calls == y->overflow_calls);
		REQUIRE(x->overflow_units == y->overflow_units);
		REQUIRE(x->overflow_bytes == y->overflow_bytes);
	}
	for (uint32_t i = 0; i < a->paths; i++) {
		const struct prof_path *x = &a->path[i], *y = &b->path[i];

		REQUIRE(x->frames == y->frames && x->flags == y->flags);
		for (uint32_t k = 0; k < x->frames; k++) {
			REQUIRE(x->frame[k].module == y->frame[k].module);
			REQUIRE(x->frame[k].exact == y->frame[k].exact);
			REQUIRE(x->frame[k].heuristic == y->frame[k].heuristic);
			REQUIRE(x->frame[k].offset == y->frame[k].offset);
		}
	}
	return NULL;
}

static const char *compare_processes(const struct profile *a, const struct profile *b)
{
	for (uint32_t i = 0; i < a->processes; i++) {
		const struct prof_process *x = &a->process[i], *y = &b->process[i];

		REQUIRE(x->pid == y->pid && x->ppid == y->ppid && x->count == y->count);
		REQUIRE(strcmp(x->exe, y->exe) == 0 && strcmp(x->program, y->program) == 0);
		REQUIRE(x->argc == y->argc);
		for (uint32_t k = 0; k < x->argc; k++)
			REQUIRE(strcmp(x->argv[k], y->argv[k]) == 0);
		REQUIRE(x->end_state == y->end_state && x->start_real_ns == y->start_real_ns);
		REQUIRE(x->end.seen == y->end.seen && x->end.value == y->end.value &&
			x->run == y->run);
		REQUIRE(x->start_mono_ns == y->start_mono_ns && x->end_mono_ns == y->end_mono_ns);
	}
	for (uint32_t i = 0; i < a->tables; i++) {
		const struct prof_table *x = &a->table[i], *y = &b->table[i];

		REQUIRE(x->process == y->process && x->tid == y->tid && x->live == y->live);
		REQUIRE(x->threads == y->threads && strcmp(x->name, y->name) == 0);
		REQUIRE(x->time_units == y->time_units && x->nested_units == y->nested_units &&
			x->recording_units == y->recording_units &&
			x->recordings == y->recordings && x->walks == y->walks);
		REQUIRE(x->nested_calls == y->nested_calls && x->call_units == y->call_units);
		REQUIRE(x->gap_units == y->gap_units);
		REQUIRE(memcmp(&x->states, &y->states, sizeof x->states) == 0);
	}
	return NULL;
}

static const char *compare_slowest(const struct profile *a, const struct profile *b)
{
	REQUIRE(a->slowests == b->slowests);
	REQUIRE(memcmp(&a->slowest_asked, &b->slowest_asked, sizeof a->slowest_asked) == 0);
	for (uint32_t i = 0; i < a->slowests; i++) {
		const struct prof_slowest *x = &a->slowest[i], *y = &b->slowest[i];

		REQUIRE(x->entry == y->entry && x->pid == y->pid && x->tid == y->tid);
		REQUIRE(x->units == y->units && x->slow_units == y->slow_units);
		REQUIRE(x->bytes == y->bytes && x->began_at == y->began_at);
		REQUIRE(x->ended_mono_ns == y->ended_mono_ns);
		REQUIRE(x->ended_real_ns == y->ended_real_ns && strcmp(x->name, y->name) == 0);
		REQUIRE(x->state == y->state && x->runnable_ns == y->runnable_ns);
		REQUIRE(x->asleep_ns == y->asleep_ns);
	}
	return NULL;
}

static const char *compare_looks(const struct profile *a, const struct profile *b)
{
	REQUIRE(a->looks == b->looks);
	for (uint32_t i = 0; i < a->looks; i++) {
		const struct prof_look *x = &a->look[i], *y = &b->look[i];

		REQUIRE(x->table == y->table && x->function == y->function);
		REQUIRE(x->calls == y->calls && x->timed == y->timed && x->weight == y->weight);
		REQUIRE(x->units == y->units && x->units_sq == y->units_sq);
	}
	return NULL;
}

static bool same_number(double x, double y)
{
	return x == y || (isnan(x) && isnan(y));
}

static const char *compare_overhead(const struct prof_overhead *x, const struct prof_overhead *y)
{
	REQUIRE(x->measurements == y->measurements);
	REQUIRE(same_number(x->inside_ns, y->inside_ns));
	REQUIRE(same_number(x->inside_error_ns, y->inside_error_ns));
	REQUIRE(same_number(x->outside_ns, y->outside_ns));
	REQUIRE(same_number(x->outside_error_ns, y->outside_error_ns));
	REQUIRE(same_number(x->inner_ns, y->inner_ns));
	REQUIRE(same_number(x->inner_error_ns, y->inner_error_ns));
	for (int i = 0; i < 2; i++) {
		const struct prof_cost *c = &x->cost[i], *d = &y->cost[i];

		REQUIRE(same_number(c->inside_ns, d->inside_ns));
		REQUIRE(same_number(c->inside_error_ns, d->inside_error_ns));
		REQUIRE(same_number(c->outside_ns, d->outside_ns));
		REQUIRE(same_number(c->outside_error_ns, d->outside_error_ns));
	}
	return NULL;
}

static const char *compare_clock(const struct prof_clock *x, const struct prof_clock *y)
{
	REQUIRE(x->kind == y->kind && x->flags == y->flags && x->requested == y->requested);
	REQUIRE(x->ns_per_unit == y->ns_per_unit && x->rate_error == y->rate_error);
	REQUIRE(x->resolution_units == y->resolution_units && x->tick_ns == y->tick_ns);
	REQUIRE(x->read_ns == y->read_ns);
	return compare_overhead(&x->overhead, &y->overhead);
}

const char *model_difference(const struct profile *a, const struct profile *b)
{
	const char *bad = compare_clock(&a->clock, &b->clock);

	bad = bad ? bad : compare_clock(&a->slow, &b->slow);
	if (bad)
		return bad;
	REQUIRE((a->flags | SCP_FILE_MERGED) == (b->flags | SCP_FILE_MERGED));
	REQUIRE(a->groups == b->groups && a->torn_entries == b->torn_entries);
	REQUIRE(memcmp(&a->losses, &b->losses, sizeof a->losses) == 0);
	REQUIRE(memcmp(&a->switches, &b->switches, sizeof a->switches) == 0);
	REQUIRE(a->ticker_ticks == b->ticker_ticks);
	REQUIRE(a->ticker_late_sum_ns == b->ticker_late_sum_ns);
	REQUIRE(a->ticker_late_max_ns == b->ticker_late_max_ns);
	REQUIRE(a->ticker_late_ticks == b->ticker_late_ticks);
	REQUIRE(a->own_ns == b->own_ns);
	REQUIRE(a->python == b->python && a->python_other == b->python_other);
	REQUIRE(memcmp(&a->ticker_cost, &b->ticker_cost, sizeof a->ticker_cost) == 0);
	REQUIRE(a->processes == b->processes && a->tables == b->tables);
	REQUIRE(a->modules == b->modules && a->paths == b->paths);
	REQUIRE(a->functions == b->functions && a->entries == b->entries && a->gaps == b->gaps);
	bad = compare_processes(a, b);
	bad = bad ? bad : compare_names(a, b);
	bad = bad ? bad : compare_source(a, b);
	bad = bad ? bad : compare_slowest(a, b);
	bad = bad ? bad : compare_looks(a, b);
	return bad ? bad : compare_entries(a, b);
}
