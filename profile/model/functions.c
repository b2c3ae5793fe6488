// SPDX-License-Identifier: GPL-3.0-or-later
/* A model without its paths: what a table by function is made of, in a few kilobytes. Whoever
 * follows hundreds of processes for days cannot keep their models. Entries are added up by function
 * and outcome; the batches stay, so intervals know the dependence of calls. */

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/model/model.h"
#include "profile/model/addition.h"

struct condense {
	struct profile *to;
	const struct profile *from;
	uint32_t *function; /* of `from` -> of `to`; PROF_NONE: left out */
	uint32_t *entry;    /* of `to`, by function and outcome; PROF_NONE: none yet */
	size_t slots;
};

/* All processes are one in the end, and so are their threads. */
static int take_process(struct profile *to, const struct profile *from)
{
	const struct prof_process *p = from->processes ? &from->process[0] : NULL;

	if (!p)
		return 0;
	if (to->processes) {
		to->process[0].count += p->count;
		return 0;
	}
	struct prof_process *q = model_add(to, MODEL_PROCESS);
	if (!q)
		return -1;
	*q = *p;
	q->argv = NULL;
	q->argc = q->run = 0;
	q->exe = strdup(p->exe);
	q->program = strdup(p->program);
	q->file = strdup(p->file);
	if (!q->exe || !q->program || !q->file || !(q->argv = calloc(1, sizeof *q->argv)))
		return -1;
	/* One path without frames, for all entries; nothing looks for an equal one. */
	return model_add(to, MODEL_TABLE) && model_add(to, MODEL_PATH) ? 0 : -1;
}

static int take_functions(struct condense *c, const bool *skip)
{
	for (uint32_t i = 0; i < c->from->functions; i++) {
		const struct prof_function *f = &c->from->function[i];

		c->function[i] = PROF_NONE;
		if (skip && skip[i])
			continue;
		c->function[i] = intern_function(c->to, f->name, f->library, f->group);
		if (c->function[i] == PROF_NONE)
			return -1;
		struct prof_function *to = &c->to->function[c->function[i]];
		to->group |= f->group;
		PROF_ADD(to, f, overflow_calls, overflow_units, overflow_bytes);
	}
	return 0;
}

static struct prof_entry *entry_of(struct condense *c, uint32_t function, uint16_t outcome)
{
	uint32_t *slot = &c->entry[(size_t)function * SCP_OUTCOMES + outcome];
	struct profile *to = c->to;

	if (*slot != PROF_NONE)
		return &to->entry[*slot];
	struct prof_entry *e = model_add(to, MODEL_ENTRY);
	if (!e)
		return NULL;
	*slot = to->entries - 1;
	e->function = function;
	e->outcome = outcome;
	return e;
}

static int take_entries(struct condense *c)
{
	for (uint32_t i = 0; i < c->from->entries; i++) {
		const struct prof_entry *e = &c->from->entry[i];
		struct prof_sums part = e->sums;
		struct prof_states states;

		if (c->function[e->function] == PROF_NONE)
			continue;
		struct prof_entry *to = entry_of(c, c->function[e->function], e->outcome);
		part.line = NULL;
		if (part.states) {
			states = *part.states;
			memset(states.hist, 0, sizeof states.hist);
			part.states = &states;
		}
		if (!to || sums_add(&to->sums, &part))
			return -1;
		c->to->table[0].call_units += e->sums.units;
	}
	return 0;
}

/* All threads are one. */
static void take_states(struct profile *to, const struct profile *from)
{
	struct prof_table *t = to->table;

	for (uint32_t i = 0; to->tables && i < from->tables; i++) {
		const struct prof_table *more = &from->table[i];

		if (t->threads)
			states_add_table(&t->states, &more->states);
		else
			t->states = more->states;
		t->threads += more->threads;
	}
}

static void take_overhead(struct profile *to, const struct profile *from)
{
	struct profile_index *x = to->index;
	const struct profile_index *y = from->index;

	overhead_join(&x->overhead, &y->overhead);
	overhead_join(&x->slow_overhead, &y->slow_overhead);
	clocks_add_depth(&x->depth, &y->depth);
	clocks_conclude_overhead(to);
}

static int make_maps(struct condense *c)
{
	size_t functions = (size_t)c->to->functions + c->from->functions;

	c->slots = functions * SCP_OUTCOMES;
	c->function = malloc(((size_t)c->from->functions + 1) * sizeof *c->function);
	c->entry = malloc((c->slots + 1) * sizeof *c->entry);
	if (!c->function || !c->entry)
		return -1;
	memset(c->entry, 0xff, c->slots * sizeof *c->entry); /* PROF_NONE */
	for (uint32_t i = 0; i < c->to->entries; i++) {
		const struct prof_entry *e = &c->to->entry[i];

		c->entry[(size_t)e->function * SCP_OUTCOMES + e->outcome] = i;
	}
	return 0;
}

int functions_add(struct profile *to, const struct profile *from, const bool *skip,
		  struct profile_error *err)
{
	struct condense c = {.to = to, .from = from};
	const struct profile_index *x = from->index;
	const struct file_clocks clocks = {x->clock, x->slow, from->clock, from->slow};
	const char *name = from->processes ? from->process[0].file : "profile";
	bool first = !to->processes;
	int result = 0;

	if (x->has_clock && clocks_check(to, name, &clocks, err))
		return -1;
	if (make_maps(&c) || take_process(to, from) || take_functions(&c, skip) || take_entries(&c))
		result = error_no_memory(err, "profiles");
	else {
		if (x->has_clock)
			clocks_take(to, x->machine, x->boot_id, &clocks);
		take_overhead(to, from);
		take_states(to, from);
		states_join_switches(&to->switches, &from->switches, first);
		to->flags |= from->flags & ~(SCP_FILE_HISTOGRAMS | SCP_FILE_MERGED);
	}
	PROF_FREE(&c, function, entry);
	return result;
}
