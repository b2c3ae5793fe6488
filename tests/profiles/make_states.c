// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes a profile of calls whose time went in known ways: always the same file for the same
 * arguments.
 * make_states DETECTOR OUT [FUNCTION cpu|runnable PERCENT]
 *	rseq or perf: a detector saw every switch, and one of four was read; sampled: there was
 *	none, and one call of 17 was asked; none: nothing is known. Calls of FUNCTION take PERCENT
 *	more CPU time, or wait so much longer for a CPU.
 * Calls of a function take CPU_NS on the CPU. recv sleeps in every fourth call (40 us, and then
 * waits 2 us for a CPU), send loses its CPU in every 64th (3 ms), read keeps it, and connect is
 * called thrice and sleeps. Exit status 2: wrong usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/scp_build.h"

#define CPU_NS	 1000u
#define APART_NS 500u /* of a segment, outside of its call */

static struct function {
	const char *name;
	uint64_t calls, batch, every; /* 0: never switched */
	uint64_t cpu_ns, runnable_ns, asleep_ns;
} functions[] = {{"recv", 4100, 64, 4, CPU_NS, 2000, 40000},
		 {"send", 2048, 32, 64, CPU_NS, 3000000, 0},
		 {"read", 3000, 64, 0, CPU_NS, 0, 0},
		 {"connect", 3, 0, 1, CPU_NS, 1000, 700000}};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* What hangs on an entry. */
struct records {
	struct scp_entry *entry;
	struct scp_batch *batch;
	struct scp_states *states;
	struct scp_state_batches *batches;
	struct scp_hist *all[SCP_HIST_BLOCKS], *hist[SCP_HIST_BLOCKS * SCP_STATE_HISTS];
};

static uint32_t detector_of(const char *name)
{
	static const char *const names[] = {"none", "sampled", "rseq", "perf"};

	for (uint32_t i = SCP_SWITCH_NONE; i <= SCP_SWITCH_PERF; i++)
		if (!strcmp(name, names[i]))
			return i;
	return UINT32_MAX;
}

static int change(const char *name, const char *what, const char *percent)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct function *f = &functions[i];
		uint64_t *ns = !strcmp(what, "cpu") ? &f->cpu_ns : &f->runnable_ns;

		if (strcmp(f->name, name) != 0)
			continue;
		*ns += *ns * strtoull(percent, NULL, 10) / 100;
		return 0;
	}
	return -1;
}

static uint32_t bucket_of(uint64_t v)
{
	uint32_t e = 63 - (uint32_t)__builtin_clzll(v);

	return v < 8 ? (uint32_t)v : (e - 2) * 8 + (uint32_t)((v >> (e - 3)) & 7);
}

static bool is_switched(const struct function *f, uint64_t call)
{
	return f->every && call % f->every == 0;
}

/* With the kernel's noise: no two calls are alike. */
static uint64_t elapsed_of(const struct function *f, uint64_t call)
{
	return f->cpu_ns + call % 10 + (is_switched(f, call) ? f->runnable_ns + f->asleep_ns : 0);
}

static void add_square(uint64_t *low, uint64_t *high, uint64_t value)
{
	unsigned __int128 sum = (unsigned __int128)*high << 64 | *low;

	sum += (unsigned __int128)value * value;
	*low = (uint64_t)sum;
	*high = (uint64_t)(sum >> 64);
}

static void add_call(const struct records *r, const struct function *f, uint64_t call)
{
	struct scp_entry *e = r->entry;
	uint64_t units = elapsed_of(f, call), slot = f->batch ? call / f->batch : SCP_BATCHES;
	uint32_t bucket = bucket_of(units);

	e->units += units;
	add_square(&e->units_sq_lo, &e->units_sq_hi, units);
	e->max_units = units > e->max_units ? units : e->max_units;
	e->min_units = e->calls && e->min_units < units ? e->min_units : units;
	e->calls++;
	r->all[bucket / SCP_HIST_BUCKETS]->count[bucket % SCP_HIST_BUCKETS]++;
	if (slot < e->batch_count)
		r->batch->sum[slot] += units;
}

/* A reading that stands for `weight` others. */
static void add_reading(const struct records *r, const struct function *f, uint64_t length,
			uint64_t weight)
{
	struct scp_states *t = r->states;

	t->off_cpu.runnable_ns += weight * f->runnable_ns;
	t->off_cpu.asleep_ns += weight * f->asleep_ns;
	t->off_cpu.ran_ns += weight * (f->asleep_ns ? length - f->runnable_ns - f->asleep_ns : 0);
	t->off_cpu.waits += weight * (f->asleep_ns > 0);
	add_square(&t->runnable_sq_lo, &t->runnable_sq_hi, f->runnable_ns);
	add_square(&t->asleep_sq_lo, &t->asleep_sq_hi, f->asleep_ns);
	t->runnable_asleep_lo += f->runnable_ns * f->asleep_ns;
	t->units_runnable_lo += length * f->runnable_ns;
	t->units_asleep_lo += length * f->asleep_ns;
}

static void count(const struct records *r, enum scp_state_hist kind, uint64_t units,
		  uint64_t weight)
{
	uint32_t bucket = bucket_of(units);

	r->hist[kind * SCP_HIST_BLOCKS + bucket / SCP_HIST_BUCKETS]
		->count[bucket % SCP_HIST_BUCKETS] += weight;
}

static void add_switched(const struct records *r, const struct function *f, uint64_t call)
{
	struct scp_states *t = r->states;
	uint64_t units = elapsed_of(f, call), length = units + APART_NS, weight = 4;
	uint64_t slot = call / (f->batch ? f->batch : 1);
	bool batched = slot < r->entry->batch_count;

	t->calls++;
	t->units += units;
	add_square(&t->units_sq_lo, &t->units_sq_hi, units);
	t->off_cpu.known += length;
	count(r, SCP_STATE_SWITCHED, units, 1);
	if (batched) {
		r->batches->calls[slot]++;
		r->batches->units[slot] += units;
		r->batches->known[slot] += length;
	}
	if (call / f->every % weight)
		return;
	add_reading(r, f, length, weight);
	t->readings++;
	t->off_cpu.weighted += weight * length;
	count(r, f->asleep_ns ? SCP_STATE_SLEPT : SCP_STATE_LOST, units, weight);
	if (batched) {
		r->batches->weighted[slot] += weight * length;
		r->batches->runnable_ns[slot] += weight * f->runnable_ns;
		r->batches->asleep_ns[slot] += weight * f->asleep_ns;
	}
}

static void ask(const struct records *r, const struct function *f, uint64_t call)
{
	const uint64_t weight = 17; /* meets all kinds of calls */
	struct scp_states *t = r->states;
	uint64_t units = elapsed_of(f, call), slot = call / (f->batch ? f->batch : 1);
	bool batched = slot < r->entry->batch_count;

	if (call % weight != 3)
		return;
	t->readings++;
	t->off_cpu.weighted += weight;
	if (batched)
		r->batches->weighted[slot] += weight;
	if (!is_switched(f, call)) {
		t->calls++;
		t->units += units;
		add_square(&t->units_sq_lo, &t->units_sq_hi, units);
		if (batched) {
			r->batches->calls[slot]++;
			r->batches->units[slot] += units;
		}
		return;
	}
	add_reading(r, f, units, weight);
	t->switched_weighted += weight;
	count(r, SCP_STATE_SWITCHED, units, weight);
	count(r, f->asleep_ns ? SCP_STATE_SLEPT : SCP_STATE_LOST, units, weight);
	if (batched) {
		r->batches->runnable_ns[slot] += weight * f->runnable_ns;
		r->batches->asleep_ns[slot] += weight * f->asleep_ns;
	}
}

static void *block(struct scp_build *b, uint32_t type, uint32_t bytes, uint32_t entry, uint32_t sub)
{
	struct scp_hist *r = scp_build_record(b, type, bytes);

	r->entry = entry;
	r->block = sub;
	return r;
}

static uint64_t add_entry(struct scp_build *b, struct records *r, uint32_t id)
{
	const struct function *f = &functions[id - 1];
	const uint64_t frame = SCP_FRAME(1, 0, 0x1000 * id);

	scp_build_path(b, id, &frame, 1);
	r->entry = scp_build_entry(b, id, id, id, SCP_COMPLETED);
	if (f->batch) {
		r->batch = block(b, SCP_REC_BATCH, sizeof *r->batch, id, 0);
		r->entry->batch_calls = f->batch;
		r->entry->batch_count = (uint32_t)(f->calls / f->batch);
	}
	for (uint32_t i = 0; i < SCP_HIST_BLOCKS; i++)
		r->all[i] = block(b, SCP_REC_HIST, sizeof *r->all[i], id, i);
	for (uint64_t i = 0; i < f->calls; i++)
		add_call(r, f, i);
	return r->entry->units;
}

/* Chunks are of one granule. */
static void add_states(struct scp_build *b, struct records *r, uint32_t detector)
{
	uint32_t id = r->entry->id;
	const struct function *f = &functions[id - 1];

	scp_build_open_optional(b, SCP_OPTIONAL_STATES, 1);
	r->states = scp_build_states(b, id, detector, 0, 0);
	r->batches = block(b, SCP_REC_STATE_BATCHES, sizeof *r->batches, id, 0);
	for (uint32_t i = 0; i < SCP_HIST_BLOCKS * SCP_STATE_HISTS; i++) {
		if (i % 6 == 0) {
			scp_build_close_chunk(b);
			scp_build_open_optional(b, SCP_OPTIONAL_STATES, 1);
		}
		r->hist[i] = block(b, SCP_REC_STATE_HIST, sizeof *r->hist[i], id, i);
	}
	scp_build_close_chunk(b);
	for (uint64_t i = 0; i < f->calls; i++) {
		if (detector == SCP_SWITCH_SAMPLED)
			ask(r, f, i);
		else if (is_switched(f, i))
			add_switched(r, f, i);
	}
}

/* All calls are top-level ones. */
static void add_off_cpu(struct scp_off_cpu *to, const struct scp_off_cpu *from)
{
	to->known += from->known;
	to->weighted += from->weighted;
	to->runnable_ns += from->runnable_ns;
	to->asleep_ns += from->asleep_ns;
	to->ran_ns += from->ran_ns;
	to->waits += from->waits;
}

/* The thread was charged for its time on the CPU but for 5 %, which the host stole, also where it
 * slept in between (struct scp_off_cpu). */
static void add_table_states(struct scp_build *b, uint32_t detector, uint64_t units,
			     const struct records *records)
{
	struct scp_table_states *t;
	double on_cpu = 0;

	scp_build_open_optional(b, SCP_OPTIONAL_STATES, 1);
	t = scp_build_record(b, SCP_REC_TABLE_STATES, sizeof *t);
	t->detector = detector;
	t->covered_ns = units;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct function *f = &functions[i];
		const struct scp_off_cpu *o =
			records[i].states ? &records[i].states->off_cpu : NULL;

		for (uint64_t call = 0; call < f->calls; call++)
			on_cpu += (double)(f->cpu_ns + call % 10);
		if (o && o->weighted)
			on_cpu += (double)o->ran_ns / 19 * (double)o->known / (double)o->weighted;
		t->switches += f->every ? f->calls / f->every : 0;
		if (o)
			add_off_cpu(&t->call_off_cpu, o);
	}
	t->cpu_ns = (uint64_t)(on_cpu * 0.95);
	t->ran_ns = 1000000;
	t->stolen_ns = 50000;
	scp_build_close_chunk(b);
}

/* The longest call lost its CPU, the next one slept, and of the last it is not known. */
static void add_slowest(struct scp_build *b)
{
	struct scp_slowest *s;

	scp_build_header(b)->slowest = (struct scp_slowest_asked){3, 0, 0, 0};
	scp_build_open_optional(b, SCP_OPTIONAL_SLOWEST, 1);
	s = scp_build_slowest(b, 1, 2, elapsed_of(&functions[1], 64));
	s->state = SCP_SLOWEST_READ;
	s->runnable_ns = functions[1].runnable_ns;
	s = scp_build_slowest(b, 2, 4, elapsed_of(&functions[3], 2));
	s->state = SCP_SLOWEST_READ;
	s->runnable_ns = functions[3].runnable_ns;
	s->asleep_ns = functions[3].asleep_ns;
	scp_build_slowest(b, 3, 1, elapsed_of(&functions[0], 8))->state = SCP_SLOWEST_SWITCHED;
	scp_build_close_chunk(b);
}

static void make(struct scp_build *b, uint32_t detector)
{
	struct records records[FUNCTIONS] = {0};
	struct scp_table *table;
	struct scp_header *h;
	uint64_t units = 0;

	scp_build_begin(b);
	h = scp_build_header(b);
	h->flags = SCP_FILE_HISTOGRAMS;
	h->switches = (struct scp_switches){detector, 0, 500, 0, 3, 600, 400000};
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		scp_build_function(b, i + 1, functions[i].name, "libc.so.6");
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	table = scp_build_table(b, 1, "server");
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		units += add_entry(b, &records[i], i + 1);
	table->closed_units = units;
	scp_build_close_chunk(b);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		if (detector != SCP_SWITCH_NONE &&
		    (functions[i].every || detector == SCP_SWITCH_SAMPLED))
			add_states(b, &records[i], detector);
	if (detector != SCP_SWITCH_NONE)
		add_table_states(b, detector, units, records);
	add_slowest(b);
}

int main(int argc, char **argv)
{
	uint32_t detector = argc == 3 || argc == 6 ? detector_of(argv[1]) : UINT32_MAX;
	struct scp_build b;

	if (detector == UINT32_MAX || (argc == 6 && change(argv[3], argv[4], argv[5]))) {
		fputs("usage: make_states rseq|perf|sampled|none OUT [FUNCTION cpu|runnable "
		      "PERCENT]\n",
		      stderr);
		return 2;
	}
	make(&b, detector);
	scp_build_finish(&b);
	scp_build_save(&b, argv[2]);
	scp_build_free(&b);
	return 0;
}
