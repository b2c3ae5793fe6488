// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof serve: looks for profiles every second until a signal ends it; requests are answered by
 * threads of the server. */
#include "cli/cmd.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "cli/messages/complaint.h"
#include "cli/usage/output.h"
#include "cli/serve_options.h"

#define DESCRIPTORS_WANTED 65536

/* One for each profile, and as many again for each page that is being made. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS_WANTED ? limit.rlim_max : DESCRIPTORS_WANTED;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Blocked in all threads: sigtimedwait takes them. */
static void take_signals(sigset_t *set)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL); /* else nobody could learn how a child ended */
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	sigprocmask(SIG_BLOCK, set, NULL);
}

struct ending {
	pthread_t thread;
	sigset_t signals;
	struct agent *agent;
};

/* A thread waits for the signal, so that it is heard in the middle of a scan, too. */
static void *await_signal(void *context)
{
	struct ending *e = context;
	int which;

	sigwait(&e->signals, &which);
	agent_stop(e->agent);
	return NULL;
}

static void follow(struct agent *agent, struct http *http)
{
	const char *news;

	while (agent_wait(agent, 1000000000)) {
		agent_scan(agent);
		while ((news = http_tend(http)))
			complaint_print("scprof serve", news);
	}
}

static int announce(const struct http_address *address, const struct http *http)
{
	const char *socket = http_local(http);

	if (!address->loopback)
		fprintf(stderr,
			"scprof serve: %s is no loopback address: everybody who reaches it sees "
			"these profiles\n",
			address->text);
	if (printf("scprof serve: http://%s/\n", address->text) < 0 ||
	    (*socket && printf("scprof serve: POST /attach by %s\n", socket) < 0) ||
	    fflush(stdout)) {
		output_lost("scprof serve");
		return -1;
	}
	return 0;
}

static int scan_and_serve(struct agent *agent, struct http_address *address)
{
	struct profile_error err;
	struct http *http;
	int status;

	agent_scan(agent);
	http = http_start(agent, address, &err);
	if (!http) {
		complaint_lines("scprof serve", err.text);
		return 1;
	}
	status = announce(address, http) ? serve_options_usage.failure : 0;
	if (status == 0)
		follow(agent, http);
	agent_stop(agent);
	http_stop(http);
	return status;
}

static int serve(struct serve_options *o)
{
	struct agent agent;
	struct ending ending = {.agent = &agent};
	int status = 1;

	take_signals(&ending.signals);
	raise_descriptors();
	mallopt(M_ARENA_MAX, 1); /* what a connection's thread leaves is of use to the next one */
	unsetenv("DEBUGINFOD_URLS"); /* no page waits for a remote server */
	if (agent_open(&agent, &o->agent)) {
		complaint_print("scprof serve", "out of memory");
		return 1;
	}
	if (pthread_create(&ending.thread, NULL, await_signal, &ending)) {
		complaint_print("scprof serve", "cannot start a thread");
	} else {
		status = scan_and_serve(&agent, &o->address);
		pthread_cancel(ending.thread);
		pthread_join(ending.thread, NULL);
	}
	agent_close(&agent);
	return status;
}

int cmd_serve(int argc, char **argv)
{
	struct serve_options o;
	int status = serve_options_parse(&o, argc, argv);

	return status == OPTIONS_GO ? serve(&o) : status;
}
