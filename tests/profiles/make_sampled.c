// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes a profile again, with samples of what was computed: make_sampled IN OUT: on the i-th call
 * path of IN i samples of 1 ms, and of each kind that has no path 5; besides 7 without any frame.
 * The kernel charged twice as much as the samples say.
 *
 * So the CPU time of each path, of each kind and of all is known: a sample stands for 2 ms. Samples
 * of IN are kept, and would break that: record it without (SCPROF_SAMPLE=off). Frames are those of
 * the calls, so that names of any kind come with the profile: IN may be a hostile one. Always the
 * same file for the same one. Exit status 1: IN cannot be read, or OUT not written; 2: wrong usage.
 */
#include <err.h>

#include "profile/model/samples.h"
#include "profile/profile.h"

#define PERIOD_NS 1000000

static uint64_t all;

static void add(struct profile *p, uint32_t path, uint32_t kind, uint32_t count)
{
	struct prof_sample s = {.path = path, .kind = kind};

	for (uint32_t i = 0; i < count; i++)
		s.count[i * 7 % SCP_SAMPLE_BATCHES]++;
	if (samples_add(p, &s) < 0)
		errx(1, "out of memory");
	all += count;
}

static void add_all(struct profile *p)
{
	for (uint32_t i = 0, paths = p->paths; i < paths; i++) {
		const struct prof_path of = p->path[i];
		uint32_t path = samples_path(p, of.frame, of.frames, of.flags);

		add(p, path, SCP_SAMPLE_COMPUTING, i + 1);
	}
	add(p, samples_path(p, NULL, 0, 0), SCP_SAMPLE_COMPUTING, 7);
	for (uint32_t kind = SCP_SAMPLE_IN_CALL; kind < SCP_SAMPLE_KINDS; kind++)
		add(p, PROF_NONE, kind, 5);
	p->sampling = (struct prof_sampling){.period_ns = PERIOD_NS, .cpu_ns = 2 * PERIOD_NS * all};
}

int main(int argc, char **argv)
{
	struct profile_error e = {0};
	struct profile *p;

	if (argc != 3)
		errx(2, "usage: make_sampled IN OUT");
	p = profile_open((const char *const *)&argv[1], 1, &e);
	if (!p)
		errx(1, "%s", e.text);
	add_all(p);
	if (write_profile(p, argv[2], &e) < 0)
		errx(1, "%s", e.text);
	profile_free(p);
	return 0;
}
