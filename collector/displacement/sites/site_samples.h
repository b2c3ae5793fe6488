// SPDX-License-Identifier: GPL-3.0-or-later
/* How often each entry of a run's profiles was called, read many times a second while the run
 * lasts, at the edges of the fluid's windows and at the measuring thread's ticks.
 *
 * The fluid's threads read the counts themselves, between two windows: so the calls belong to the
 * windows exactly, and no sampler has to wake up beside the program. Ticks add what has no windows:
 * the CPU time that the program's processes were charged, and that of ksoftirqd. New files and
 * entries are found at ticks; the fluid sees what was found by then.
 *
 * Memory: 4 bytes an entry and reading, at most 100 readings a second and CPU (the fluid makes its
 * windows longer in the course of time). */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SITE_SAMPLES_ENTRIES 512 /* read; what is found later is counted, not read */
#define SITE_SAMPLES_FILES   256

struct displacement;
struct site_dither;
struct site_samples;

/* An entry that is read: which of which file, in the order of (table, id), which is that of
 * a model; and how many the file has. Files are named as in the directory. */
struct site_sampled {
	const char *file;
	size_t ordinal, of;
};

/* A reading. Calls since the reading before by the same thread, of the entries that were
 * known: calls[0 .. entries). */
struct site_reading {
	size_t window; /* of the fluid, that begins here; ticks: 0 */
	double at;     /* ticks: seconds, as displacement_window.at */
	/* CPU seconds since the reading before: of the program, of ksoftirqd. At edges on this CPU
	 * alone, `program` with stolen time, NAN if not available. */
	double program, softirqd;
	bool incomplete; /* a process came or went: its CPU time is not all in it */
	const uint32_t *calls;
	size_t entries, first; /* first: where its calls are among those of all readings */
};

/* `profiles`: the run's directory, which has no files yet. NULL: out of memory. */
struct site_samples *site_samples_open(const char *profiles, const cpu_set_t *cpus);
void site_samples_close(struct site_samples *s);

/* Between displacement_open and the run: whose program clocks the edges read; and whose windows the
 * ticks draw, as what it delayed is not the program's time (NULL: none). */
void site_samples_begin(struct site_samples *s, const struct displacement *d,
			struct site_dither *dither);

/* For displacement_options: `context` is the samples. */
void site_samples_edge(void *context, size_t cpu, size_t window);
void site_samples_tick(void *context, double at);

/* Ends the reading, and looks for entries once more. After the run, before its files go. */
void site_samples_end(struct site_samples *s);

/* After that. `missed`: files and entries beyond the limits. */
size_t site_samples_entries(const struct site_samples *s, size_t *missed);
struct site_sampled site_samples_entry(const struct site_samples *s, size_t i);
/* Readings of CPU `cpu` of the set; of the ticks where `cpu` is the number of CPUs. */
size_t site_samples_readings(const struct site_samples *s, size_t cpu);
struct site_reading site_samples_reading(const struct site_samples *s, size_t cpu, size_t i);
