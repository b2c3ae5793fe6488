// SPDX-License-Identifier: GPL-3.0-or-later
/* They are known by their files, not by their parents: the collector is no
 * subreaper, since the target could notice. */
#include "collector/launch/survivors.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profile/live/run_files.h"
#include "collector/launch/stragglers.h"

#define WATCHED	       128 /* at a time; the rest are looked at when one of these ends */
#define NAMED	       8   /* in a message */
#define GRACE_MS       200 /* the tail of a pipeline ends on its own */
#define RESCAN_MS      200 /* where the kernel has no pidfd_open */
#define SETTLE_MS      400 /* a process that has no file by then will not have one */
#define SETTLE_STEP_MS 10

struct living {
	struct pollfd poll[WATCHED + 1]; /* [0]: the signals */
	nfds_t polls;
	size_t count;
	bool by_time;	 /* some could not be watched */
	bool stragglers; /* none lives, but some may yet show up */
	char names[512];
};

static void name(struct living *l, const struct run_file *f)
{
	size_t used = strlen(l->names);

	if (l->count <= NAMED)
		snprintf(l->names + used, sizeof(l->names) - used, "%s%d (%s)", used ? ", " : "",
			 (int)f->pid, f->comm);
	else if (l->count == NAMED + 1)
		snprintf(l->names + used, sizeof(l->names) - used, ", ...");
}

static void watch(struct living *l, const struct run_file *f)
{
	if (l->polls > WATCHED)
		return;
	int fd = (int)syscall(SYS_pidfd_open, f->pid, 0);
	/* it may have ended, and its pid been given away, between the two calls */
	if (fd >= 0 && !run_files_is_live(f)) {
		close(fd);
		l->by_time = true;
	} else if (fd >= 0) {
		l->poll[l->polls++] = (struct pollfd){.fd = fd, .events = POLLIN};
	} else {
		l->by_time = true;
	}
}

/* A process has one file a program it has been, of which one is live; a child
 * of vfork may share its parent's. */
static bool is_repeated(const struct run_file *files, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (files[j].pid == files[i].pid && files[j].end_state == files[i].end_state &&
		    files[j].process_start == files[i].process_start)
			return true;
	return false;
}

static void add(struct living *l, const struct run_file *f)
{
	l->count++;
	name(l, f);
	watch(l, f);
}

static void find_living(const char *directory, int signals, struct living *l)
{
	struct run_file *files, forked[NAMED];
	size_t count;

	*l = (struct living){.poll = {{.fd = signals, .events = POLLIN}}, .polls = 1};
	if (run_files_list(directory, &files, &count))
		return;
	for (size_t i = 0; i < count; i++)
		if (run_files_is_live(&files[i]) && !is_repeated(files, i))
			add(l, &files[i]);
	if (!l->count)
		for (size_t i = stragglers_forked(directory, files, count, forked, NAMED); i-- > 0;)
			add(l, &forked[i]);
	l->stragglers = !l->count && stragglers_exist(directory, files, count);
	run_files_free(files, count);
}

static void forget(struct living *l)
{
	for (nfds_t i = 1; i < l->polls; i++)
		close(l->poll[i].fd);
}

static bool told_to_stop(const struct living *l)
{
	struct signalfd_siginfo s;

	if (!(l->poll[0].revents & POLLIN) ||
	    read(l->poll[0].fd, &s, sizeof(s)) != (ssize_t)sizeof(s))
		return false;
	return s.ssi_signo == SIGINT || s.ssi_signo == SIGQUIT || s.ssi_signo == SIGTERM ||
	       s.ssi_signo == SIGHUP;
}

static void announce(const struct living *l, void (*tell)(const char *text), bool leaving)
{
	char text[1024];

	if (leaving)
		snprintf(text, sizeof(text),
			 "left running: %s.\n"
			 "The profile holds what they did until now; from here on they go "
			 "unobserved.",
			 l->names);
	else
		snprintf(text, sizeof(text),
			 "the command has ended, but %zu process%s of it still run%s: %s.\n"
			 "Waiting for %s; Ctrl-C (or SIGTERM) ends the waiting, not the process%s.",
			 l->count, l->count == 1 ? "" : "es", l->count == 1 ? "s" : "", l->names,
			 l->count == 1 ? "it" : "them", l->count == 1 ? "" : "es");
	tell(text);
}

/* How long to wait before the next look; -1: until something happens. */
static int patience_ms(const struct living *l, bool told, int grace_ms)
{
	if (!l->count)
		return SETTLE_STEP_MS;
	if (!told)
		return grace_ms;
	return l->by_time ? RESCAN_MS : -1;
}

size_t survivors_wait(const char *directory, int signals, void (*tell)(const char *text))
{
	struct living l;
	bool told = false;
	int grace_ms = GRACE_MS, settle_ms = SETTLE_MS;

	for (;;) {
		find_living(directory, signals, &l);
		if (!l.count && (!l.stragglers || settle_ms <= 0))
			break;
		settle_ms = l.count ? SETTLE_MS : settle_ms - SETTLE_STEP_MS;
		if (l.count && !told && !grace_ms) {
			announce(&l, tell, false);
			told = true;
		}
		int ready = poll(l.poll, l.polls, patience_ms(&l, told, grace_ms));
		forget(&l);
		if (l.count && !told && !ready)
			grace_ms = 0;
		if (ready > 0 && told_to_stop(&l)) {
			if (l.count)
				announce(&l, tell, true);
			break;
		}
	}
	return l.count;
}
