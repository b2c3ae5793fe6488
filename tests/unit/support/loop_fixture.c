// SPDX-License-Identifier: GPL-3.0-or-later
/* See loop_fixture.h. */
#include "tests/unit/support/loop_fixture.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char exe[] = "/nonexistent/bin/app", program[] = "app";

static void *grown(void *array, uint32_t count, size_t size)
{
	/* A power of two each time: room for the next. */
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? 2 * (size_t)count : 1) * size);
	assert_non_null(array);
	return array;
}

struct profile *loop_profile(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->clock = (struct prof_clock){.kind = SCP_CLOCK_TSC,
				       .requested = SCP_CLOCK_TSC,
				       .ns_per_unit = 1,
				       .resolution_units = 1,
				       .tick_ns = 1,
				       .read_ns = 12};
	p->module = calloc(1, sizeof(*p->module));
	p->process = calloc(1, sizeof(*p->process));
	assert_true(p->module && p->process);
	p->module[p->modules++] = (struct prof_module){.path = exe};
	p->process[p->processes++] = (struct prof_process){
		.pid = 7, .count = 1, .exe = exe, .program = program, .end_state = SCP_END_EXIT};
	return p;
}

void loop_profile_free(struct profile *p)
{
	for (uint32_t i = 0; i < p->functions; i++)
		free(p->function[i].name);
	for (uint32_t i = 0; i < p->paths; i++)
		free(p->path[i].frame);
	free(p->function);
	free(p->path);
	free(p->module);
	free(p->process);
	free(p->table);
	free(p->entry);
	free(p->gap);
	free(p);
}

uint32_t loop_thread(struct profile *p, const char *name)
{
	p->table = grown(p->table, p->tables, sizeof(*p->table));
	p->table[p->tables] = (struct prof_table){.tid = 100 + p->tables, .threads = 1};
	snprintf(p->table[p->tables].name, sizeof(p->table[0].name), "%s", name);
	return p->tables++;
}

static void have_function(struct profile *p, uint32_t function)
{
	static char library[] = "libc.so.6";

	while (p->functions <= function) {
		char name[16];

		snprintf(name, sizeof(name), p->functions < 26 ? "%c" : "f%u",
			 p->functions < 26 ? 'a' + p->functions : p->functions);
		p->function = grown(p->function, p->functions, sizeof(*p->function));
		p->function[p->functions++] =
			(struct prof_function){.name = strdup(name), .library = library};
	}
}

uint32_t loop_entry(struct profile *p, uint32_t thread, uint32_t function, uint64_t place,
		    uint64_t calls, uint64_t each)
{
	struct prof_frame *frame = calloc(1, sizeof(*frame));
	struct prof_entry *e;

	assert_non_null(frame);
	have_function(p, function);
	frame->offset = 0x1000 + place;
	p->path = grown(p->path, p->paths, sizeof(*p->path));
	p->path[p->paths++] = (struct prof_path){.frame = frame, .frames = 1};
	p->entry = grown(p->entry, p->entries, sizeof(*p->entry));
	e = &p->entry[p->entries++];
	*e = (struct prof_entry){.table = thread, .path = p->paths - 1, .function = function};
	e->sums.calls = calls;
	e->sums.units = calls * each;
	e->sums.units_sq = (prof_u128)calls * each * each;
	e->sums.min_units = e->sums.max_units = each;
	e->sums.first_at = p->entries;
	p->table[thread].call_units += calls * each;
	p->table[thread].time_units += calls * each;
	return p->entries - 1;
}

void loop_gap(struct profile *p, uint32_t thread, uint32_t from, uint32_t to, uint64_t calls,
	      uint64_t each)
{
	p->gap = grown(p->gap, p->gaps, sizeof(*p->gap));
	p->gap[p->gaps++] = (struct prof_gap){.table = thread,
					      .from = from,
					      .to = to,
					      .calls = calls,
					      .units = calls * each,
					      .max_units = each,
					      .units_sq = (prof_u128)calls * each * each};
	p->table[thread].gap_units += calls * each;
	p->table[thread].time_units += calls * each;
}

struct report *loop_built(const struct profile *p, enum report_format format)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;

	o.by = REPORT_BY_GAP;
	o.format = format;
	r = report_build(p, &o);
	assert_non_null(r);
	assert_non_null(r->loops);
	loop_check_sums(r);
	return r;
}

static bool is_named(const struct report *r, uint32_t site, const char *name)
{
	if (!name)
		return site == PROF_NONE;
	return site < r->sites && !strcmp(r->profile->function[r->site[site].function].name, name);
}

const struct loop_row *loop_row_of(const struct report *r, const struct loop *l,
				   enum loop_kind kind, const char *from, const char *to)
{
	for (uint32_t i = 0; i < l->rows; i++)
		if (l->row[i].kind == kind && is_named(r, l->row[i].from, from) &&
		    is_named(r, l->row[i].to, to))
			return &l->row[i];
	return NULL;
}

char *loop_printed(const struct profile *p, enum report_format format, uint32_t width)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	o.by = REPORT_BY_GAP;
	o.format = format;
	o.width = width;
	assert_int_equal(report_print(p, &o, out), 0);
	fclose(out);
	return text;
}

/* Those of edges without a row are missing. */
static void check_chances(const struct loop *l)
{
	int32_t least = 1000;

	for (uint32_t i = 0; i < l->rows; i++)
		if (l->row[i].kind == LOOP_OTHERS && l->row[i].edges)
			least = 1;
	for (uint32_t i = 0; i < l->rows;) {
		int32_t sum = 0;
		uint32_t edges = 0, next = i + (l->row[i].kind == LOOP_STATE);

		for (; next < l->rows && l->row[next].kind == LOOP_EDGE; next++, edges++)
			sum += l->row[next].chance;
		if (edges)
			assert_in_range(sum, least, 1000);
		i = next > i ? next : i + 1;
	}
}

void loop_check_sums(const struct report *r)
{
	for (uint32_t i = 0; i < r->loops->loops; i++) {
		const struct loop *l = &r->loops->loop[i];
		int32_t permille = 0;
		double ns = 0, share = 0;

		check_chances(l);
		for (uint32_t k = 0; k < l->rows; k++) {
			permille += l->row[k].permille;
			share += l->row[k].share;
			ns += l->row[k].total_ns;
		}
		if (!l->rows || isnan(share))
			continue; /* threads of no time */
		assert_int_equal(permille, 1000);
		assert_float_equal(share, 1, 1e-9);
		assert_float_equal(ns + l->remainder_ns, l->time_ns, 1e-6 * l->time_ns);
	}
}
