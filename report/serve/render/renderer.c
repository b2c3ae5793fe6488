// SPDX-License-Identifier: GPL-3.0-or-later
/* Rights are given up and limits set before the first byte of a profile is read. The agent limits
 * the wall time. */
#include "report/serve/render/renderer.h"

#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "report/report.h"
#include "collector/machine/kernel_numbers.h"

static int limit(int what, uint64_t most)
{
	struct rlimit now;

	if (getrlimit(what, &now))
		return -1;
	if (now.rlim_max > most)
		now.rlim_max = most;
	now.rlim_cur = now.rlim_max;
	return setrlimit(what, &now);
}

/* If memory is short, the kernel is to kill this process and not the agent. */
static void be_the_first_to_go(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0) {
		/* it keeps its own score, then */
	}
	close(fd);
}

static int limit_all(const struct renderer_limits *l)
{
	if (limit(RLIMIT_CPU, (uint64_t)ceil(2 * l->seconds)) || limit(RLIMIT_FSIZE, l->output) ||
	    limit(RLIMIT_CORE, 0))
		return -1;
#ifdef __SANITIZE_ADDRESS__ /* its shadow memory exceeds any limit */
	return 0;
#else
	return limit(RLIMIT_AS, l->memory);
#endif
}

/* No groups: a file does not tell which groups its owner is in. */
static int become(uint32_t user)
{
	return setgroups(0, NULL) || setresgid(RENDERER_NOBODY, RENDERER_NOBODY, RENDERER_NOBODY) ||
			       setresuid(user, user, user)
		       ? -1
		       : 0;
}

/* A change of the user clears the signal at the parent's death, so it is set last. */
static int confine(const struct renderer_job *job)
{
	be_the_first_to_go();
	if (limit_all(&job->limits) || (job->user != RENDERER_AGENT && become(job->user)) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -1;
	return getppid() == job->agent ? 0 : -1;
}

static int say(enum rendering_result result, const struct pprof_window *w)
{
	const struct renderer_message m = {.result = result, .left_out = w->left_out};

	return send(STDIN_FILENO, &m, sizeof(m), MSG_NOSIGNAL) == (ssize_t)sizeof(m) ? 0 : -1;
}

static enum rendering_result render(const struct renderer_job *job, const struct profile *p)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;

	if (!p->processes)
		return RENDERING_EMPTY;
	o.format = job->product == RENDERER_PPROF ? REPORT_PPROF : REPORT_HTML;
	o.guarded = job->guarded;
	o.pprof_names = true; /* the client does not have the files */
	return report_print(p, &o, stdout) < 0 || fflush(stdout) ? RENDERING_NO_MEMORY
								 : RENDERING_DONE;
}

static int work(const struct renderer_job *job, struct snapshot *first, struct pprof_window *w)
{
	struct snapshot last;

	if (job->product == RENDERER_COMPUTING)
		return say(sampled_write(first), &(struct pprof_window){0});
	enum rendering_result result = pprof_window_begin(w, first, job->seconds > 0);

	if (result != RENDERING_DONE)
		return say(result, w);
	if (say(RENDERING_GOING, w))
		return -1;
	if (job->seconds > 0) {
		if (renderer_wire_receive(STDIN_FILENO, &last))
			return -1;
		result = pprof_window_end(w, first, &last, job->seconds);
	}
	return say(result == RENDERING_DONE ? render(job, w->profile) : result, w);
}

/* Nothing is freed: the process ends. */
int renderer_main(void)
{
	struct renderer_job job;
	struct snapshot first;
	struct pprof_window w;

	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
	if (recv(STDIN_FILENO, &job, sizeof(job), 0) != (ssize_t)sizeof(job) || confine(&job) ||
	    renderer_wire_receive(STDIN_FILENO, &first))
		return 1;
	return work(&job, &first, &w) ? 1 : 0;
}

/* A file that could not be read at the beginning would be counted completely at the end. */
static bool is_news_or_known(const struct snapshot_file *f, const void *context)
{
	const struct snapshot_file *before = snapshot_find(context, f);

	return !before || before->loaded;
}

/* Read at the beginning, and gone from the agent since. */
static bool is_gone(const struct snapshot_file *f, const void *context)
{
	return f->loaded && !snapshot_find(context, f);
}

static void set_span(struct profile *p, const struct timespec *began, double seconds)
{
	struct prof_process *q = &p->process[0];

	if (!p->processes)
		return;
	q->start_real_ns = (uint64_t)began->tv_sec * 1000000000 + (uint64_t)began->tv_nsec;
	q->start_mono_ns = 1; /* 0 is not known */
	q->end_mono_ns = 1 + (uint64_t)llround(seconds * 1e9);
	q->end_state = SCP_END_EXIT; /* nothing comes after it; and threads are older than it */
}

/* The file's first reading is in the model, and would be subtracted from what others did on the
 * same paths. */
static bool lost_any(const struct snapshot *first, const struct snapshot *last)
{
	for (size_t i = 0; i < first->files; i++) {
		const struct snapshot_file *now = snapshot_find(last, &first->file[i]);

		if (first->file[i].loaded && now && !now->loaded)
			return true;
	}
	return false;
}

enum rendering_result pprof_window_begin(struct pprof_window *w, struct snapshot *first, bool ends)
{
	*w = (struct pprof_window){.profile = profile_new()};
	if (!w->profile)
		return RENDERING_NO_MEMORY;
	snapshot_load(first, w->profile, NULL, NULL);
	w->left_out = first->left_out;
	clock_gettime(CLOCK_REALTIME, &w->began);
	if (first->no_memory || (ends && model_difference_mark(w->profile, &w->mark)))
		return RENDERING_NO_MEMORY;
	return RENDERING_DONE;
}

enum rendering_result pprof_window_end(struct pprof_window *w, struct snapshot *first,
				       struct snapshot *last, double seconds)
{
	snapshot_load(last, w->profile, is_news_or_known, first);
	w->left_out += last->left_out;
	bool lost = lost_any(first, last);
	snapshot_load(first, w->profile, is_gone, last);
	if (first->no_memory || last->no_memory)
		return RENDERING_NO_MEMORY;
	if (lost || first->left_out)
		return RENDERING_UNREADABLE;
	if (model_difference_make(w->profile, &w->mark))
		return RENDERING_NO_MEMORY;
	set_span(w->profile, &w->began, seconds);
	return RENDERING_DONE;
}

void pprof_window_free(struct pprof_window *w)
{
	model_difference_mark_free(&w->mark);
	profile_free(w->profile);
	*w = (struct pprof_window){0};
}
