// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/causal/causal_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "collector/clocks/clocks_read.h"
#include "collector/launch/environment.h"
#include "collector/launch/launch.h"
#include "profile/base/kernel_file.h"
#include "stats/mean/replications.h"
#include "stats/numerics/random.h"

#define WARM_UP_S 1.0  /* of each run, not recorded */
#define GRACE_S	  10.0 /* after SIGTERM */
#define RUNS_MOST 100
#define TELLING	  2 /* intervals wider than so many times what is predicted confirm nothing */
#define FILE_NAME "scprof.confirm.1.scp" /* a run's profile, in a directory of its own */
#define LOG	  "stderr"

extern char **environ;

char **causal_confirm_keep_environment(void)
{
	size_t count = 0;
	char **kept;

	while (environ[count])
		count++;
	kept = calloc(count + 1, sizeof(*kept));
	return kept ? memcpy(kept, environ, count * sizeof(*kept)) : NULL;
}

/* `scprof run` of either program, into `directory`. Only returns in the child where it fails. */
static void execute(char **environment, const struct causal_options *o, bool changed,
		    const char *directory)
{
	char path[PATH_MAX], after[32], length[32], log[PATH_MAX];
	const char *argv[1024] = {"scprof",  "run", "--no-report", "-o",  path,
				  "--after", after, "--for",	   length};
	size_t n = 9;

	snprintf(path, sizeof(path), "%s/" FILE_NAME, directory);
	snprintf(after, sizeof(after), "%.0fms", 1e3 * WARM_UP_S);
	snprintf(length, sizeof(length), "%.0fms", 1e3 * o->wishes.for_s);
	if (o->run.symbols) {
		argv[n++] = "-s";
		argv[n++] = o->run.symbols;
	}
	if (o->run.groups) {
		argv[n++] = "-g";
		argv[n++] = o->run.groups;
	}
	argv[n++] = "--";
	if (changed) {
		argv[n++] = "/bin/sh";
		argv[n++] = "-c";
		argv[n++] = o->changed;
	}
	for (char **word = o->run.command; !changed && *word; word++)
		if (n < sizeof(argv) / sizeof(*argv) - 1)
			argv[n++] = *word;
	snprintf(log, sizeof(log), "%s/" LOG, directory);
	int to = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to >= 0)
		dup2(to, STDERR_FILENO);
	environ = environment;
	environment_draw_layout(); /* no memory for it: as it was */
	execve("/proc/self/exe", (char **)argv, environ);
	dprintf(STDERR_FILENO, "cannot start scprof run: %s\n", strerror(errno));
}

static pid_t start(char **environment, const struct causal_options *o, bool changed,
		   const char *directory)
{
	sigset_t none;
	pid_t pid = fork();

	if (pid)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends the program, which nobody else knows of */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execute(environment, o, changed, directory);
	_exit(125);
}

/* Signals are blocked since the first launch: one that came is the user's wish to stop. */
static bool is_stopped(void)
{
	sigset_t pending, ending;

	launch_ending_signals(&ending);
	return !sigpending(&pending) && !sigandset(&pending, &pending, &ending) &&
	       !sigisemptyset(&pending);
}

/* Ends it where it does not end by itself. *outlived: it had to be. False: the user stops. */
static bool wait_for(pid_t pid, double for_s, bool *outlived)
{
	double due = clocks_read_seconds() + WARM_UP_S + for_s + 0.2;
	bool go_on = true;
	int status;

	*outlived = false;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		clocks_read_sleep(0.02);
		if (go_on && is_stopped()) {
			go_on = false;
			due = clocks_read_seconds();
		}
		if (clocks_read_seconds() < due)
			continue;
		if (*outlived) {
			kill(-pid, SIGKILL);
		} else {
			*outlived = true;
			due = clocks_read_seconds() + GRACE_S;
			kill(-pid, SIGTERM); /* what a shell started, too */
		}
	}
	return go_on;
}

/* The function, or the stretch that ends at the point of that name. */
static bool is_progress(const char *recorded, const char *name)
{
	size_t length = strlen(recorded), end = strlen(name);

	if (!strcmp(recorded, name))
		return true;
	return length > end + 4 && !strncmp(recorded + length - end - 4, " -> ", 4) &&
	       !strcmp(recorded + length - end, name);
}

static bool counts(const struct causal_options *o, const struct profile *p,
		   const struct prof_entry *e)
{
	const char *at = strrchr(o->wishes.of_page.progress, '@');
	struct report_site site = {.outcome = e->outcome};

	if (!is_progress(p->function[e->function].name, o->function))
		return false;
	return strlen(o->function) == strlen(o->wishes.of_page.progress) || !at ||
	       !strcmp(at + 1, report_names_outcome(&site));
}

static double rate_of(const struct causal_options *o, const struct profile *p, bool outlived)
{
	uint64_t calls = 0;
	bool several = outlived && p->processes != 1;
	double seconds =
		several ? o->wishes.for_s : (double)p->recorded_ns / 1e9 / fmax(p->processes, 1);

	for (uint32_t i = 0; i < p->entries; i++)
		if (counts(o, p, &p->entry[i]))
			calls += p->entry[i].sums.calls;
	return calls && seconds > 0 ? (double)calls / seconds : NAN;
}

/* What it wrote on standard error, where it brought no figure. */
static void say_log(const char *directory)
{
	char text[1500] =
		"confirm: this run recorded no progress, and no more are made. It wrote:\n";
	size_t at = strlen(text);

	kernel_file_text(text + at, sizeof(text) - at, "%s/" LOG, directory);
	say(text);
}

static void clear(const char *directory)
{
	static const char *const names[] = {FILE_NAME, LOG, "scprof.confirm.1.killed.scp"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
}

/* One run. False: stop. */
static bool run_once(char **environment, const struct causal_options *o, bool changed, double *rate,
		     double *mean)
{
	const char *base = getenv("TMPDIR");
	char directory[PATH_MAX - 64];
	struct causal_sites sites;
	bool outlived;

	*rate = *mean = NAN;
	snprintf(directory, sizeof(directory), "%s/scprof-confirm.XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(directory)) {
		say_format("cannot make %s: %s", directory, strerror(errno));
		return false;
	}
	pid_t pid = start(environment, o, changed, directory);
	bool go_on = pid > 0 && wait_for(pid, o->wishes.for_s, &outlived);
	if (go_on && !causal_sites_read(&sites, directory, SCP_CAUSAL_BY_PATH)) {
		*rate = rate_of(o, sites.profile, outlived);
		*mean = causal_sites_mean(&sites, o->confirm);
	}
	if (go_on)
		causal_sites_free(&sites);
	bool failed = go_on && isnan(*rate);
	if (failed)
		say_log(directory);
	clear(directory);
	return go_on && !failed;
}

static void predict(const struct causal_report *r, const struct causal_options *o, double share,
		    struct slopes_prediction *to)
{
	double below = 0, above = 0;

	*to = (struct slopes_prediction)CAUSAL_UNPREDICTED;
	for (const struct causal_row *row = r->row;
	     row < r->row + r->rows && share > 0 && share < 1; row++) {
		if (!row->told || !r->sites ||
		    !causal_choose_matches(r->sites, &row->found, o->confirm))
			continue;
		struct slopes_prediction p =
			slopes_predict(&r->result->slopes, &row->site->slopes, row->found.mean,
				       share, CAUSAL_CONFIDENCE);
		to->percent = isnan(to->percent) ? p.percent : to->percent + p.percent;
		below = hypot(below, p.percent - p.low);
		above = hypot(above, p.high - p.percent);
		to->at_most |= p.at_most;
		to->at_least |= p.at_least;
	}
	to->low = to->percent - below;
	to->high = to->percent + above;
}

/* The mean of the pairs' logarithms, as a ratio: runs of a pair are neighbours in time, and what
 * the machine does meanwhile strikes both. */
static struct causal_limits ratio_of(const double *before, const double *after, size_t n)
{
	double x[RUNS_MOST];

	for (size_t i = 0; i < n; i++)
		x[i] = log(after[i] / before[i]);
	struct replications_mean m = replications_mean(x, n, CAUSAL_CONFIDENCE);

	return (struct causal_limits){exp(m.mean), exp(m.low), exp(m.high)};
}

static struct causal_limits limits_of(const double *x, size_t n)
{
	struct replications_mean m = replications_mean(x, n, CAUSAL_CONFIDENCE);

	return (struct causal_limits){m.mean, m.low, m.high};
}

void causal_confirm_settle(const struct causal_confirm_runs *runs, const struct causal_options *o,
			   const struct causal_report *r, struct causal_confirmed *out)
{
	struct causal_limits mean = ratio_of(runs->mean[0], runs->mean[1], runs->count),
			     rate = ratio_of(runs->rate[0], runs->rate[1], runs->count);
	const struct slopes_prediction *p = &out->for_measured;

	out->site = o->confirm;
	out->faster = o->faster;
	out->runs = runs->count;
	out->before = limits_of(runs->mean[0], runs->count);
	out->after = limits_of(runs->mean[1], runs->count);
	out->rate_before = limits_of(runs->rate[0], runs->count).value;
	out->rate_after = limits_of(runs->rate[1], runs->count).value;
	out->measured = (struct causal_limits){1 - mean.value, 1 - mean.high, 1 - mean.low};
	out->realised = (struct causal_limits){100 * (rate.value - 1), 100 * (rate.low - 1),
					       100 * (rate.high - 1)};
	predict(r, o, o->faster, &out->predicted);
	predict(r, o, out->measured.value, &out->for_measured);
	if (isnan(p->percent))
		p = &out->predicted;
	double off = out->realised.value - p->percent;
	double side = off > 0 ? p->high - p->percent : p->percent - p->low;
	double room = hypot(side, (out->realised.high - out->realised.low) / 2);
	out->too_wide =
		isfinite(room) && isfinite(off) && room > TELLING * fmax(fabs(p->percent), 1);
	out->known = isfinite(room) && isfinite(off) && !out->too_wide;
	out->agrees = out->known && (off <= room || p->at_least) && (off >= -room || p->at_most);
}

void causal_confirm_run(char **environment, const struct causal_options *o,
			const struct causal_report *r, struct causal_confirmed *out)
{
	static double rate[2][RUNS_MOST], mean[2][RUNS_MOST];
	struct random random;
	size_t done = 0;

	random_seed(&random, r->result->seed);
	for (; done < o->runs; done++) {
		bool first = random_next(&random) & 1;

		say_format("confirm: run %zu of %zu of each program, %.3g s", done + 1,
			   (size_t)o->runs, o->wishes.for_s);
		if (!run_once(environment, o, first, &rate[first][done], &mean[first][done]) ||
		    !run_once(environment, o, !first, &rate[!first][done], &mean[!first][done]))
			break;
	}
	*out = (struct causal_confirmed){0};
	causal_confirm_settle(
		&(struct causal_confirm_runs){done, {rate[0], rate[1]}, {mean[0], mean[1]}}, o, r,
		out);
}
