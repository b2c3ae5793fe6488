// SPDX-License-Identifier: GPL-3.0-or-later
/* Write a model as one merged profile file. One PROCESS chunk with the processes, modules and
 * functions, then a chunk a table. Ids are positions from 1: in the model for modules, functions
 * (of source code, too), processes and tables; in the table, in the order of use, for paths and
 * entries. So what is read back has the same order. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/base/error.h"
#include "profile/model/model.h"
#include "profile/write/image.h"
#include "profile/write/temporary_file.h"

struct writer {
	const struct profile *p;
	struct image img;
	uint32_t *entry_id; /* in its table, by index */
	struct write_paths paths;
	uint32_t *entry_order, *gap_order; /* indices, by table */
	uint32_t *entry_start, *gap_start; /* of each table in those; tables + 1 */
};

static void write_process(struct writer *w, uint32_t index)
{
	const struct prof_process *q = &w->p->process[index];
	uint64_t exe_bytes = strlen(q->exe) + 1, argv_bytes = 0;
	uint64_t program_bytes = strlen(q->program) + 1;

	for (uint32_t i = 0; i < q->argc; i++)
		argv_bytes += strlen(q->argv[i]) + 1;
	struct scp_process *r = image_record(&w->img, SCP_REC_PROCESS,
					     offsetof(struct scp_process, strings) + exe_bytes +
						     argv_bytes + program_bytes);
	if (!r)
		return;
	r->index = index + 1;
	PROF_SET(r, q, pid, ppid, count, end_state, argc, start_real_ns, start_mono_ns,
		 end_mono_ns);
	r->exe_bytes = (uint32_t)exe_bytes;
	r->argv_bytes = (uint32_t)argv_bytes;
	char *at = r->strings;
	memcpy(at, q->exe, exe_bytes);
	at += exe_bytes;
	for (uint32_t i = 0; i < q->argc; i++)
		at = stpcpy(at, q->argv[i]) + 1;
	memcpy(at, q->program, program_bytes);
}

static void write_module(struct writer *w, uint32_t index)
{
	const struct prof_module *m = &w->p->module[index];
	size_t path_bytes = strlen(m->path) + 1;
	struct scp_module *r = image_record(&w->img, SCP_REC_MODULE,
					    offsetof(struct scp_module, path) + path_bytes);

	if (!r)
		return;
	r->id = index + 1;
	r->build_id_bytes = m->build_id_bytes;
	memcpy(r->build_id, m->build_id, m->build_id_bytes);
	memcpy(r->path, m->path, path_bytes);
}

static void write_function(struct writer *w, uint32_t index)
{
	const struct prof_function *f = &w->p->function[index];
	size_t name_bytes = strlen(f->name) + 1;
	bool is_long = name_bytes > sizeof((struct scp_function *)0)->name;
	struct scp_function *r =
		image_record(&w->img, SCP_REC_FUNCTION, sizeof *r + (is_long ? name_bytes : 0));

	if (!r)
		return;
	r->id = index + 1;
	PROF_SET(r, f, group, overflow_calls, overflow_units, overflow_bytes);
	strncpy(r->name, f->name, sizeof r->name - 1);
	strncpy(r->library, f->library, sizeof r->library - 1);
	if (is_long)
		memcpy(r->long_name, f->name, name_bytes);
}

static void write_table_head(struct writer *w, uint32_t index)
{
	const struct prof_table *t = &w->p->table[index];
	struct scp_table r = {
		.id = index + 1,
		.closed_units = t->time_units,
		.process = t->process + 1,
	};

	PROF_SET(&r, t, tid, live, threads, nested_units, nested_calls, recording_units, recordings,
		 walks);
	memcpy(r.name, t->name, sizeof r.name);
	image_copy(&w->img, SCP_REC_TABLE, &r, sizeof r);
}

static void write_entry(struct writer *w, uint32_t index)
{
	const struct prof_entry *e = &w->p->entry[index];
	uint32_t path = write_paths_put(&w->paths, &w->img, e->path);
	struct scp_entry *r = image_record(&w->img, SCP_REC_ENTRY, sizeof *r);

	if (!r)
		return;
	r->id = w->entry_id[index];
	r->path = path;
	r->function = e->function + 1;
	r->outcome = e->outcome == SCP_TIMEOUT ? SCP_WOULD_BLOCK : e->outcome;
	r->flags = e->outcome == SCP_TIMEOUT ? SCP_ENTRY_TIMED_OUT : 0;
	r->seq = e->torn; /* odd: killed inside an update */
	write_sums(&w->img, r, &e->sums);
	write_displacement_site(&w->img, w->entry_id[index], w->p, index);
}

static void write_gap(struct writer *w, uint32_t id, uint32_t index)
{
	const struct prof_gap *g = &w->p->gap[index];
	struct scp_gap r = {
		.id = id,
		.from = g->from == PROF_NONE ? 0 : w->entry_id[g->from],
		.to = g->to == PROF_NONE ? 0 : w->entry_id[g->to],
	};

	PROF_COPY_RUN(&r, calls, max_units, g, calls, max_units);
	image_copy(&w->img, SCP_REC_GAP, &r, sizeof r);
}

static void write_table(struct writer *w, uint32_t t)
{
	w->img.table = t + 1;
	write_paths_begin_table(&w->paths, t + 1);
	write_table_head(w, t);
	for (uint32_t i = w->entry_start[t]; i < w->entry_start[t + 1]; i++)
		write_entry(w, w->entry_order[i]);
	for (uint32_t i = w->gap_start[t]; i < w->gap_start[t + 1]; i++)
		write_gap(w, i - w->gap_start[t] + 1, w->gap_order[i]);
	write_states(&w->img, w->p, t, &w->entry_order[w->entry_start[t]],
		     w->entry_start[t + 1] - w->entry_start[t]);
}

static void write_program(const struct profile *p, struct scp_header *h)
{
	const struct prof_process *q = &p->process[0];

	PROF_SET(h, q, pid, ppid);
	strncpy(h->exe, q->exe, sizeof h->exe - 1);
	strncpy(h->comm, q->program, sizeof h->comm - 1);
	strncpy(h->program, q->program, sizeof h->program - 1);
	h->argc = q->argc;
	for (uint32_t i = 0; i < q->argc; i++) {
		size_t bytes = strlen(q->argv[i]) + 1;

		if (bytes > sizeof h->argv - h->argv_bytes)
			break;
		memcpy(h->argv + h->argv_bytes, q->argv[i], bytes);
		h->argv_bytes += (uint32_t)bytes;
	}
	PROF_SET(h, q, start_real_ns, start_mono_ns, end_mono_ns);
	h->end_state = p->processes == 1 ? q->end_state : SCP_END_EXIT;
	for (uint32_t i = 0; i < p->processes; i++) {
		h->processes += p->process[i].count;
		if (p->process[i].start_real_ns < h->start_real_ns)
			PROF_SET(h, &p->process[i], start_real_ns, start_mono_ns);
		PROF_MOST(h, &p->process[i], end_mono_ns);
	}
}

static void fill_header(const struct profile *p, struct scp_header *h)
{
	memcpy(h->magic, SCP_MAGIC, sizeof h->magic);
	h->byte_order = SCP_BYTE_ORDER;
	h->header_bytes = SCP_HEADER_BYTES;
	h->flags = p->flags | SCP_FILE_MERGED;
	h->machine = p->index->machine;
	memcpy(h->boot_id, p->index->boot_id, sizeof h->boot_id);
	h->clock_requested = p->clock.requested;
	memcpy(h->preceded, p->preceded, sizeof h->preceded);
	memcpy(h->uncopied_function, p->uncopied_function, sizeof h->uncopied_function);
	h->clock = p->index->clock;
	h->slow_clock = p->index->slow;
	overhead_store(&p->clock.overhead, p->index->overhead.rounds, &h->overhead_first);
	overhead_store(&p->slow.overhead, p->index->slow_overhead.rounds, &h->slow_overhead_first);
	h->inner_first = overhead_store_inner(&p->clock.overhead);
	h->ways_first = overhead_store_ways(&p->clock.overhead, &p->index->overhead);
	h->slow_ways_first = overhead_store_ways(&p->slow.overhead, &p->index->slow_overhead);
	h->usage_first.known = p->usage.known;
	h->usage_last = p->usage;
	PROF_SET(h, p, groups, losses, path_checks, switches, uncopied_calls, ticker_readings,
		 ticker_near, ticker_ticks, ticker_late_sum_ns, ticker_late_max_ns,
		 ticker_late_ticks, ticker_cost, own_ns);
	PROF_SET(h, p, python, python_other, usage_cpu_of, usage_io_of, filters_bytes, windows,
		 recorded_ns, recorded_of_ns);
	memcpy(h->filters, p->filters, p->filters_bytes);
	h->slowest = p->slowest_asked;
	h->table_count = p->tables;
	if (p->processes)
		write_program(p, h);
}

_Static_assert(offsetof(struct prof_entry, table) == 0, "array_by_key");
_Static_assert(offsetof(struct prof_gap, table) == 0, "array_by_key");

static int prepare(struct writer *w)
{
	const struct profile *p = w->p;

	w->entry_id = calloc((size_t)p->entries + 1, sizeof *w->entry_id);
	if (write_paths_begin(&w->paths, p) || !w->entry_id ||
	    array_by_key(p->entry, p->entries, sizeof *p->entry, p->tables, &w->entry_order,
			 &w->entry_start) ||
	    array_by_key(p->gap, p->gaps, sizeof *p->gap, p->tables, &w->gap_order, &w->gap_start))
		return -1;
	for (uint32_t t = 0; t < p->tables; t++)
		for (uint32_t i = w->entry_start[t]; i < w->entry_start[t + 1]; i++)
			w->entry_id[w->entry_order[i]] = i - w->entry_start[t] + 1;
	return 0;
}

static void write_chunks(struct writer *w)
{
	const struct profile *p = w->p;

	for (uint32_t i = 0; i < p->processes; i++)
		write_process(w, i);
	for (uint32_t i = 0; i < p->modules; i++)
		write_module(w, i);
	for (uint32_t i = 0; i < p->functions; i++)
		write_function(w, i);
	write_source(&w->img, p);
	for (uint32_t t = 0; t < p->tables; t++)
		write_table(w, t);
	write_slowest(&w->img, p, w->entry_id);
	write_look(&w->img, p);
	write_tails(&w->img, p, w->entry_id);
	w->img.table = 0;
	write_displacement_accounts(&w->img, p);
	write_paths_differences(&w->img, p);
	write_ends(&w->img, p);
	write_attached(&w->img, p);
	write_samples(&w->img, p);
}

static int build(const void *of, int fd)
{
	const struct profile *p = of;
	struct writer w = {.p = p};
	struct scp_header header = {.version = SCP_VERSION};
	int result = -1, error;

	if (prepare(&w) == 0) {
		image_begin(&w.img, fd);
		write_chunks(&w);
		fill_header(p, &header);
		result = image_end(&w.img, &header);
	}
	error = errno; /* free() of an older libc changes it */
	write_paths_end(&w.paths);
	PROF_FREE(&w, entry_id, entry_order, gap_order, entry_start, gap_start);
	errno = error;
	return result;
}

int write_profile(const struct profile *p, const char *path, struct profile_error *err)
{
	if (!p->index->has_clock)
		return error_fail(err, path, "nothing to write: the profile is empty");
	return temporary_file_save(path, build, p, err);
}
