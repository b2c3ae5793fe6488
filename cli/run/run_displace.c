// SPDX-License-Identifier: GPL-3.0-or-later
/* A profiled run between two idle phases, as in `scprof displace`. */
#include "cli/run/recording.h"
#include "cli/cmd.h"

#include <stdio.h>
#include <time.h>

#include "collector/clocks/clocks_read.h"
#include "collector/machine/cpus.h"
#include "cli/displace/displace_command.h"
#include "stats/numerics/random.h"

#define REST_S	   1.0
#define CONFIDENCE 0.95

int run_displace_dither(struct run_displace *r, const char *page, double share)
{
	struct profile_error err;

	r->dither = site_dither_open(page, share, random_fresh_seed(), &err);
	if (r->dither)
		return 0;
	return say(err.text);
}

int run_displace_open(struct run_displace *r, const char *profiles)
{
	struct displacement_options options = {0};
	struct profile_error err;

	if (cpus_choose(NULL, &options.cpus, &err)) {
		say(err.text);
		return FAILED;
	}
	r->samples = profiles ? site_samples_open(profiles, &options.cpus) : NULL;
	if (r->samples) {
		options.sample = site_samples_tick;
		options.edge = site_samples_edge;
		options.context = r->samples;
	}
	r->d = displacement_open(&options, &err);
	if (!r->d) {
		say(err.text);
		run_displace_abandon(r);
		return FAILED;
	}
	if (r->samples)
		site_samples_begin(r->samples, r->d, r->dither);
	r->cpus = options.cpus;
	int stopped = displacement_idle_phase(r->d, REST_S);
	if (!stopped && !displacement_run_begin(r->d, true, &err))
		return 0;
	if (!stopped)
		say(err.text);
	run_displace_abandon(r);
	return stopped ? 128 + stopped : FAILED;
}

/* A program that is asked to end is delayed no more. */
static void tick(void *context)
{
	struct run_displace *r = context;

	if (r->dither && r->launch->ended_by)
		site_dither_stop(r->dither);
	displacement_run_tick(r->d);
}

static void ended(void *context, pid_t pid)
{
	struct run_displace *r = context;

	if (r->dither)
		site_dither_stop(r->dither);
	displacement_run_ended(r->d, pid);
}

int run_displace_wait(struct run_displace *r, struct launch *l)
{
	const struct launch_watch watch = {DISPLACEMENT_TICK_MS, tick, ended, r};
	struct profile_error err;

	if (!r->d)
		return launch_wait_watched(l, NULL, &r->usage);
	r->launch = l;
	int status = launch_wait_watched(l, &watch, &r->usage);
	if (r->dither)
		site_dither_end(r->dither);
	if (displacement_run_end(r->d, &r->usage, &err)) {
		say(err.text);
		run_displace_abandon(r);
	}
	return status;
}

void run_displace_settle(struct run_displace *r, bool interrupted)
{
	struct profile_error err;

	if (!r->d)
		return;
	if (r->samples)
		site_samples_end(r->samples);
	if (!interrupted)
		displacement_idle_phase(r->d, REST_S);
	if (displacement_account_finish(r->d, &r->run, &err)) {
		say(err.text);
		return;
	}
	r->settled = !displacement_summary_make(&r->account, &r->run, 1, CONFIDENCE);
	if (r->settled)
		return;
	say("no memory for the account of displacement");
	displacement_account_free(&r->run);
}

static void say_sites(const struct site_costs_result *t)
{
	say_format("by call site: %zu of %zu have a number, from %.0f %% of the windows", t->known,
		   t->sites, 100 * t->kept);
	if (t->known)
		say_format("uncharged time that goes with no call: %.3g ms a second, standard "
			   "error %.2g",
			   1e3 * t->intercept, 1e3 * t->intercept_error);
	if (t->missed)
		say_format("%zu call paths, or files of processes, were too many to be read while "
			   "the command ran: their calls are in no site's cost",
			   t->missed);
}

static void say_dither(const struct run_displace *r)
{
	struct site_dither_told t = site_dither_tell(r->dither);

	say_format("dither: %zu sites were delayed in %zu windows, %.1f %% of the time; the site "
		   "that lost most made %.1f %% fewer calls",
		   t.sites, t.windows, 100 * t.spun / r->run.elapsed, 100 * t.slower);
	if (t.refused)
		say_format("dither: the page of delays %s: a process that was measured wrote into "
			   "it, and nothing was delayed from then on",
			   t.refused);
	if (t.few)
		say_format(
			"dither: %zu of these sites had fewer than %d windows, which are left out: "
			"let it run longer, or take a larger share",
			t.few, DITHER_PLAN_ENOUGH);
}

static struct prof_account_cpu in_ns(const struct displacement_cpu *c)
{
	return (struct prof_account_cpu){
		.cpu = (uint32_t)c->cpu,
		.wall_ns = c->wall * 1e9,
		.part_ns = {[SCP_ACCOUNT_PROGRAM] = c->program * 1e9,
			    [SCP_ACCOUNT_UNCHARGED] = c->uncharged * 1e9,
			    [SCP_ACCOUNT_OTHERS] = c->others * 1e9,
			    [SCP_ACCOUNT_SCPROF] = c->scprof * 1e9,
			    [SCP_ACCOUNT_INTERRUPTS] = (c->resting + c->switching) * 1e9,
			    [SCP_ACCOUNT_STOLEN] = c->stolen * 1e9,
			    [SCP_ACCOUNT_IDLE] = c->idle * 1e9,
			    [SCP_ACCOUNT_REMAINDER] = c->remainder * 1e9},
	};
}

/* The sentence first, then a text for each warning. */
static int add_texts(struct prof_account *a, const struct displacement_summary *s)
{
	char sentence[512];

	displace_text_sentence(s, sentence, sizeof(sentence));
	if (account_add_text(a, sentence))
		return -1;
	for (unsigned bit = 1; bit && bit <= s->warnings; bit <<= 1)
		if (s->warnings & bit && account_add_text(a, displacement_warning_words(bit)->text))
			return -1;
	return 0;
}

/* The account of the first run, as `scprof displace` prints it, into the profile. -1: out of
 * memory. */
static int add_account(const struct displacement_summary *s, struct profile *p)
{
	const struct displacement_run *run = &s->run[0];
	struct prof_account *a = account_add(p);

	if (!a)
		return -1;
	a->run = clocks_read_ns(CLOCK_REALTIME);
	a->uncharged = (struct prof_cost_value){run->uncharged.value * 1e9,
						run->uncharged.error * 1e9, run->uncharged.freedom};
	a->rusage_ns = s->accounting.rusage * 1e9;
	for (size_t i = 0; i < s->cpus; i++) {
		struct prof_account_cpu cpu = in_ns(&s->cpu[i]);

		if (account_add_cpu(a, &cpu))
			return -1;
	}
	return add_texts(a, s);
}

void run_displace_sites(struct run_displace *r, const char *profiles, struct profile *p)
{
	if (r->settled && add_account(&r->account, p))
		say("no memory for the account of displacement in the profile");
	if (!r->settled || !r->samples)
		return;
	r->has_sites = !site_costs_run(&r->run, r->samples, r->dither, profiles, p, &r->sites);
	if (!r->has_sites)
		say("no memory for the costs of sites by displacement");
}

void run_displace_finish(struct run_displace *r, char **command)
{
	const struct displace_wishes wishes = {
		.cpus = r->cpus, .confidence = CONFIDENCE, .command = command};

	if (r->settled)
		displace_text_print(stderr, &wishes, &r->account, NULL);
	if (r->has_sites)
		say_sites(&r->sites);
	if (r->has_sites && r->dither)
		say_dither(r);
	run_displace_abandon(r);
}

void run_displace_abandon(struct run_displace *r)
{
	if (r->settled) {
		displacement_summary_free(&r->account);
		displacement_account_free(&r->run);
	}
	if (r->d)
		displacement_close(r->d);
	if (r->samples)
		site_samples_close(r->samples);
	if (r->dither)
		site_dither_close(r->dither);
	*r = (struct run_displace){.cpus = r->cpus, .usage = r->usage};
}
