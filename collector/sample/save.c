// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples into a model, at the end or meanwhile: for where the tool is killed, those so far lie in
 * a file beside the profiles of the processes. It is written anew by a thread of its own, from
 * copies: who takes samples out of the rings does not wait for it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/sample/sample_private.h"
#include "collector/clocks/clocks_read.h"
#include "profile/base/array.h"
#include "profile/live/run_files.h"

#define SAVE_EVERY_NS UINT64_C(1000000000)
#define SAVE_SHARE    500u	 /* it may take such a part of a CPU */
#define MOST_SAMPLES  (1u << 24) /* 200 MB to copy */
#define MOST_ROWS     (1u << 16) /* 30 MB in memory (/dev/shm), with 50 frames each */

/* A process of the profile has its number in its own namespace, and where it was attached to the
 * one outside, which is no other one's. */
static bool is_of(const struct prof_process *q, const struct sample_life *l)
{
	if (q->attached.pid && q->attached.pid != q->pid)
		return q->attached.pid == (uint32_t)l->pid;
	return q->pid == (uint32_t)(l->inner_pid ?: l->pid);
}

/* The process of the profile that a life is, or came from. */
static uint32_t find_process(const struct sample_spaces *s, uint32_t life, const struct profile *p)
{
	for (; life != SAMPLE_NONE; life = s->life[life].before) {
		const struct sample_life *l = &s->life[life];

		for (uint32_t i = p->processes; i-- > 0;) {
			const struct prof_process *q = &p->process[i];

			if (is_of(q, l) &&
			    (l->before == SAMPLE_NONE || q->start_mono_ns >= l->from_ns) &&
			    (!l->to_ns || q->start_mono_ns <= l->to_ns))
				return i;
		}
	}
	return 0;
}

int save_into(const struct sample_spaces *s, struct sample_counts *c,
	      const struct prof_sampling *how, struct profile *p)
{
	uint32_t *process = malloc(((size_t)s->lives + 1) * sizeof(*process));
	int result = -1;

	for (uint32_t i = 0; process && i < s->lives; i++)
		process[i] = SAMPLE_NONE;
	for (uint32_t i = 0; process && i < c->samples; i++)
		if (process[c->sample[i].life] == SAMPLE_NONE)
			process[c->sample[i].life] = find_process(s, c->sample[i].life, p);
	if (process && p->processes)
		result = counts_into(c, s, process, p);
	samples_join(&p->sampling, how);
	free(process);
	return result;
}

static bool copy_array(void *to, const void *from, size_t bytes)
{
	*(void **)to = array_copy(from, bytes);
	return !bytes || *(void **)to;
}

/* All but what is never changed once it is there: names of files and functions, and frames. */
static bool copy(struct sample_save *v, const struct sample_spaces *s,
		 const struct sample_counts *c)
{
	const struct profile *n = c->names;

	v->spaces.lives = s->lives;
	v->spaces.images.count = s->images.count;
	v->counts.samples = c->samples;
	v->counts.names = &v->names;
	v->names.paths = n->paths;
	return copy_array(&v->spaces.life, s->life, s->lives * sizeof(*s->life)) &&
	       copy_array(&v->spaces.images.image, s->images.image,
			  s->images.count * sizeof(*s->images.image)) &&
	       copy_array(&v->counts.sample, c->sample, c->samples * sizeof(*c->sample)) &&
	       copy_array(&v->names.path, n->path, n->paths * sizeof(*n->path)) &&
	       copy_array(&v->names.source_line, n->source_line,
			  n->source_lines * sizeof(*n->source_line)) &&
	       copy_array(&v->names.source_function, n->source_function,
			  n->source_functions * sizeof(*n->source_function));
}

/* Processes are named as their files name them, by which they are found again. */
static bool name_processes(struct profile *p, const char *directory)
{
	struct run_file *file;
	size_t count;
	bool fine = true;

	if (run_files_list(directory, &file, &count))
		return false;
	for (size_t i = 0; i < count && i < PROF_SAMPLES_PROCESSES; i++)
		fine = fine && !samples_process(p, (uint32_t)file[i].pid, file[i].start_mono_ns);
	run_files_free(file, count);
	return fine && p->processes;
}

static void *save(void *context)
{
	struct sample_save *v = context;
	struct profile *p = profile_new();
	struct profile_error err;
	char path[4200];

	setpriority(PRIO_PROCESS, (id_t)gettid(), 0); /* begun by one that has others wait */
	snprintf(path, sizeof(path), "%s/%s", v->directory, PROF_SAMPLES_FILE);
	if (p && name_processes(p, v->directory) &&
	    !save_into(&v->spaces, &v->counts, &v->sampling, p) && p->samples <= MOST_ROWS) {
		samples_stand_alone(p);
		write_profile(p, path, &err); /* or else what was there stays */
	}
	profile_free(p);
	v->cpu_ns =
		clocks_read_ns(CLOCK_THREAD_CPUTIME_ID); /* to wait for a CPU costs nobody one */
	__atomic_store_n(&v->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void settle(struct sample_save *v)
{
	if (v->runs)
		pthread_join(v->thread, NULL);
	PROF_FREE(v, spaces.life, spaces.images.image, counts.sample, names.path, names.source_line,
		  names.source_function);
	*v = (struct sample_save){.directory = v->directory,
				  .due_ns = v->due_ns,
				  .cpu_ns = v->cpu_ns,
				  .saved = v->saved};
}

bool save_is_due(struct sample_save *v, const struct sample_counts *c, uint64_t now_ns)
{
	if (v->runs && __atomic_load_n(&v->done, __ATOMIC_ACQUIRE)) {
		settle(v);
		v->due_ns = now_ns + SAVE_EVERY_NS + SAVE_SHARE * v->cpu_ns;
	}
	return !v->runs && v->directory && now_ns >= v->due_ns && c->samples != v->saved &&
	       c->samples <= MOST_SAMPLES;
}

void save_begin(struct sample_save *v, const struct sample_spaces *s, const struct sample_counts *c,
		const struct prof_sampling *how, uint64_t now_ns)
{
	v->due_ns = now_ns + SAVE_EVERY_NS;
	v->saved = c->samples;
	v->sampling = *how;
	v->runs = copy(v, s, c) && !pthread_create(&v->thread, NULL, save, v);
	if (!v->runs)
		settle(v);
}

void save_end(struct sample_save *v)
{
	settle(v);
	PROF_FREE(v, directory);
}
