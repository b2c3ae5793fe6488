// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof causal`: runs a command as `scprof run` does, or attaches, with an experiment beside
 * (collector/causal), and prints what it says. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/attach_options.h"
#include "cli/causal/causal_private.h"
#include "cli/cmd.h"
#include "cli/messages/progress.h"
#include "cli/run/recording.h"
#include "cli/usage/output.h"
#include "collector/clocks/clocks_read.h"

#define COMMAND	     "scprof causal"
#define KILL_S	     10.0 /* after SIGTERM */
#define LOOK_S	     3.0  /* after the start: has the unit completed? */
#define LOOK_AGAIN_S 10.0 /* then has anything? */

struct causal_run {
	struct causal_options o;
	struct causal *experiment;
	struct causal_choice choice;
	struct causal_result result;
	struct progress progress;
	bool begun, has_result, stopped, over, printed, killed;
	double ended_at;  /* when the command was asked to end */
	double look_at_s; /* whether calls complete, but not the unit's; INFINITY: that was said */
	char **environment; /* for --confirm, as it was */
};

static int prepare(void *context, const struct run_directory *d, struct environment *e)
{
	struct causal_run *r = context;
	struct causal_wishes *w = &r->o.wishes;
	struct profile_error err;

	r->choice.o = &r->o;
	snprintf(r->choice.directory, sizeof(r->choice.directory), "%s", d->profiles);
	w->page = d->causal;
	w->choose = causal_choose_sites;
	w->context = &r->choice;
	r->experiment = causal_open(w, &err);
	if (!r->experiment)
		return say(err.text);
	e->causal = d->causal;
	return 0;
}

static void started(void *context, const char *profiles)
{
	struct causal_run *r = context;

	(void)profiles;
	r->begun = !causal_begin(r->experiment);
	if (!r->begun)
		say_format("nothing is delayed: no thread for it: %s", strerror(errno));
	progress_begin(&r->progress, COMMAND, isatty(STDERR_FILENO));
	r->look_at_s = LOOK_S;
}

static void draw(struct causal_run *r, const struct causal_state *s)
{
	double share =
		isfinite(r->o.wishes.for_s) ? fmin(s->elapsed_s / r->o.wishes.for_s, 1) : NAN;
	struct numbered rate = numbered_digits(s->rate_per_s, 4);

	if (s->phase == CAUSAL_PILOT)
		progress_show(&r->progress, NAN, "pilot: %s/s, no delays yet", rate.text);
	else if (s->phase == CAUSAL_DELAYS && isfinite(s->precision))
		progress_show(&r->progress, share, "%zu windows, %zu sites, %s/s, known to +-%s %%",
			      s->windows, s->sites, rate.text,
			      numbered_digits(100 * s->precision, 2).text);
	else if (s->phase == CAUSAL_DELAYS)
		progress_show(&r->progress, share, "%zu windows, %zu sites, %s/s", s->windows,
			      s->sites, rate.text);
}

/* Others complete, and the unit does not: nobody waits for the end to hear of it. */
static void look_for_unit(struct causal_run *r, double waited_s)
{
	struct causal_sites sites;
	char most[400] = "";

	if (waited_s < r->look_at_s)
		return;
	r->look_at_s = 2 * waited_s;
	if (!causal_sites_read(&sites, r->choice.directory, SCP_CAUSAL_BY_FUNCTION))
		causal_sites_most(&sites, most, sizeof(most));
	causal_sites_free(&sites);
	if (!*most && waited_s < LOOK_AGAIN_S)
		return;
	r->look_at_s = INFINITY;
	progress_clear(&r->progress);
	say_format("%s has not completed once in %.0f s, %s%s.\nIs it the unit, and recorded (-g, "
		   "-s)? It is waited for; Ctrl-C ends that",
		   r->o.wishes.of_page.progress, waited_s,
		   *most ? "but these have: " : "nor has any other recorded function", most);
}

/* The command goes on where nobody said that it is to end. */
static void note_end(struct causal_run *r, pid_t pid)
{
	r->over = true;
	progress_clear(&r->progress);
	if (!pid)
		return;
	if (r->o.end) {
		kill(pid, SIGTERM);
		r->ended_at = clocks_read_seconds();
	} else if (!r->stopped) {
		say("the experiment is over, and delays nothing more. The report comes when the\n"
		    "command ends: Ctrl-C, or next time --end");
	}
}

static bool poll_experiment(void *context, pid_t pid, bool stopped)
{
	struct causal_run *r = context;

	if (!r->begun)
		return false;
	if (stopped && !r->stopped) {
		r->stopped = true;
		causal_stop(r->experiment);
	}
	struct causal_state s = causal_poll(r->experiment);
	if (s.phase == CAUSAL_WAITING && !stopped)
		look_for_unit(r, s.elapsed_s);
	if (s.phase == CAUSAL_ENDED && !r->over)
		note_end(r, pid);
	else if (!r->over)
		draw(r, &s);
	if (r->ended_at > 0 && !r->killed && clocks_read_seconds() > r->ended_at + KILL_S) {
		r->killed = true;
		kill(pid, SIGKILL);
	}
	return r->over;
}

static bool take_result(struct causal_run *r)
{
	causal_stop(r->experiment);
	if (causal_end(r->experiment, &r->result)) {
		say("no memory for the result");
		return false;
	}
	const char *why = causal_refused(r->experiment);
	if (!why)
		return true;
	causal_result_free(&r->result);
	say_format("the page of delays %s.\nThe library does not do that: a process that was "
		   "measured wrote into the page, and nothing is\nsaid of the experiment",
		   why);
	return false;
}

static void ended(void *context)
{
	struct causal_run *r = context;

	progress_clear(&r->progress);
	if (!r->experiment)
		return;
	if (r->begun)
		r->has_result = take_result(r);
	causal_close(r->experiment);
	r->experiment = NULL;
}

static int (*const printers[])(const struct causal_report *r,
			       FILE *out) = {[REPORT_TEXT] = causal_text_print,
					     [REPORT_JSON] = causal_json_print,
					     [REPORT_HTML] = causal_html_print};

/* Text beside a command goes to standard error: standard output is the command's. */
static int print(const struct causal_report *report, const struct causal_options *o)
{
	static char buffer[1 << 16];
	struct output out;

	if (o->output || o->attach || o->format != REPORT_TEXT) {
		if (output_begin(&out, COMMAND, o->output))
			return -1;
		return output_end(&out, COMMAND, printers[o->format](report, out.stream));
	}
	setvbuf(stderr, buffer, _IOFBF, sizeof(buffer)); /* not a system call a word */
	int failed = printers[o->format](report, stderr);
	fflush(stderr);
	setvbuf(stderr, NULL, _IONBF, 0);
	return failed;
}

static int report(struct causal_run *r, struct causal_sites *sites, struct profile *all)
{
	struct causal_report report;
	struct causal_confirmed confirmed;
	int failed = causal_report_make(&report, r->o.wishes.of_page.progress, &r->result, sites,
					r->o.wishes.of_page.by, r->choice.none_matched) ||
		     causal_computing_find(&report, all);

	if (!failed && r->o.confirm && report.rows) { /* else nothing is predicted */
		causal_confirm_run(r->environment, &r->o, &report, &confirmed);
		report.confirmed = &confirmed;
	}
	if (!failed)
		failed = print(&report, &r->o);
	else
		say("no memory for the report");
	r->printed = !failed;
	causal_report_free(&report);
	return failed;
}

static int finish(void *context, struct run_directory *d, const struct gathered *g)
{
	struct causal_run *r = context;
	struct causal_sites sites;
	int failed = -1;

	if (r->has_result) {
		causal_sites_read(&sites, d->profiles, r->o.wishes.of_page.by);
		failed = report(r, &sites, g->profile);
		causal_sites_free(&sites);
		causal_result_free(&r->result);
	}
	gather_discard(d, g);
	return failed;
}

static int status_of(void *context, int status)
{
	struct causal_run *r = context;

	if (r->ended_at > 0 && (status == 128 + SIGTERM || (r->killed && status == 128 + SIGKILL)))
		status = 0;
	return !status && !r->printed ? FAILED : status;
}

static int attach(const struct causal_run *r, const struct run_observer *observer)
{
	static struct attach_options a;

	a = (struct attach_options){.run = r->o.run, .pid = {r->o.attach}, .pids = 1};
	return cmd_attach_for(&a, observer);
}

int cmd_causal(int argc, char **argv)
{
	static struct causal_run r; /* paths: too large for the stack */
	const struct run_observer observer = {&r,    prepare, started,	poll_experiment,
					      ended, finish,  status_of};
	int status = causal_options_parse(argc, argv, &r.o);

	if (status != OPTIONS_GO)
		return status;
	if (output_try(COMMAND, r.o.output))
		return FAILED;
	if (r.o.confirm) {
		r.environment = causal_confirm_keep_environment();
		r.o.end = true;
	}
	return r.o.attach ? attach(&r, &observer) : cmd_run_for(&r.o.run, &observer);
}
