// SPDX-License-Identifier: GPL-3.0-or-later
/* They are known by their files, not by their parents: the collector is no subreaper, since the
 * target could notice. Those without a file are known by their environment, which /proc shows as
 * the program was started with it, and by what they map: the directory's name is random. */
#include "collector/launch/survivors.h"
#include "profile/base/kernel_file.h"
#include "collector/machine/kernel_numbers.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WATCHED	       128  /* at a time; the rest are looked at when one of these ends */
#define NAMED	       8    /* in a message */
#define GRACE_MS       200  /* the tail of a pipeline ends on its own */
#define RESCAN_MS      2000 /* for those that cannot be watched */
#define SETTLE_MS      400  /* a process that has no file by then will not have one */
#define SETTLE_STEP_MS 10
#define MOST_BYTES     (8u << 20) /* exec takes 6 MB of environment */

static bool has_live_file(pid_t pid, const struct run_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (files[i].pid == pid && run_files_is_live_here(&files[i]))
			return true;
	return false;
}

/* Has a file of the process such a line? Of any process: one may say that its environment is all of
 * its memory. */
static bool has_line(pid_t pid, const char *name, int end,
		     bool (*is)(const char *line, const char *directory), const char *directory)
{
	static char text[MOST_BYTES + 1];
	bool found = false;
	FILE *file = kernel_file_open("/proc/%d/%s", (int)pid, name);

	if (!file)
		return false;
	char *behind = text + fread(text, 1, MOST_BYTES, file);
	fclose(file);
	for (char *at = text, *next; !found && at < behind; at = next + 1) {
		next = memchr(at, end, (size_t)(behind - at)) ?: behind;
		*next = '\0';
		found = is(at, directory);
	}
	return found;
}

static bool is_variable(const char *line, const char *directory)
{
	return !strncmp(line, "SCPROF_OUT=", 11) && !strcmp(line + 11, directory);
}

/* To write to: the tool's own processes map other pages there, and read profiles otherwise. */
static bool is_map_of_profile(const char *line, const char *directory)
{
	return strstr(line, " rw-s ") && strstr(line, directory) && strstr(line, ".scp");
}

pid_t survivors_newest(void)
{
	char line[32];

	return kernel_file_line(line, sizeof(line), "/proc/sys/kernel/ns_last_pid") ? 0
										    : atoi(line);
}

/* Forked children that have made no call that is recorded yet, and may live for long: they have the
 * profile of a parent mapped. How many, at most `room`, as if they had files. *may_come becomes
 * true where a process has no file of its own yet, but an environment that names `directory`: a
 * child just forked, a program just replaced by exec. Without them a run would sometimes end
 * between two programs of a shell script. It may stay true for ever (a static daemon), so limit the
 * wait. */
static size_t find_forked(const char *directory, const struct run_file *files, size_t count,
			  struct run_file *forked, size_t room, bool *may_come)
{
	size_t found = 0;
	const pid_t own = getpid();
	const bool grouped = getpgid(0) > 0;
	uint64_t since = run_files_process_start(own, NULL);
	DIR *proc = kernel_file_folder("/proc");
	pid_t pid;

	while (found < room && (pid = kernel_file_next(&proc)) >= 0) {
		struct run_file f = {.started = true, .pid = pid};

		/* threads of the kernel have no group: most of /proc, which costs nothing so */
		if (pid == own || (grouped && !getpgid(pid)))
			continue;
		f.process_start = run_files_process_start(pid, NULL);
		/* younger than the run, which spares what the others map */
		if (f.process_start < since || has_live_file(pid, files, count))
			continue;
		if (has_line(pid, "maps", '\n', is_map_of_profile, directory)) {
			kernel_file_line(f.comm, sizeof(f.comm), "/proc/%d/comm", (int)pid);
			forked[found++] = f;
		} else if (has_line(pid, "environ", '\0', is_variable, directory)) {
			*may_come = true;
		}
	}
	kernel_file_leave(&proc);
	return found;
}

/* A pid that has left one program is known though it has no file yet: /proc shows no environment
 * while exec is building the new program. */
static bool has_left(const struct run_file *files, size_t count)
{
	bool found = false;

	for (size_t i = 0; i < count && !found; i++) {
		struct run_file now = files[i];

		now.end_state = SCP_END_RUNNING;
		found = files[i].end_state == SCP_END_EXEC &&
			!has_live_file(now.pid, files, count) && run_files_is_live_here(&now);
	}
	return found;
}

struct living {
	struct pollfd poll[WATCHED + 1]; /* [0]: the signals */
	nfds_t polls;
	size_t count;
	bool stragglers; /* none lives, but some may yet show up */
	char names[512];
};

static void add(struct living *l, const struct run_file *f)
{
	size_t used = strlen(l->names);

	l->count++;
	if (l->count <= NAMED)
		snprintf(l->names + used, sizeof(l->names) - used, "%s%d (%s)", used ? ", " : "",
			 (int)f->pid, f->comm);
	else if (l->count == NAMED + 1)
		snprintf(l->names + used, sizeof(l->names) - used, ", ...");
	if (l->polls > WATCHED)
		return;
	int fd = (int)syscall(SYS_pidfd_open, f->pid, 0);
	if (fd >= 0)
		l->poll[l->polls++] = (struct pollfd){.fd = fd, .events = POLLIN};
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

static void find_living(const char *directory, int signals, pid_t newest, struct living *l)
{
	struct run_file *files, forked[NAMED];
	size_t count;

	*l = (struct living){.poll = {{.fd = signals, .events = POLLIN}}, .polls = 1};
	if (run_files_list(directory, &files, &count))
		return;
	for (size_t i = 0; i < count; i++)
		if (run_files_is_live_here(&files[i]) && !is_repeated(files, i))
			add(l, &files[i]);
	if (!l->count) {
		l->stragglers = has_left(files, count);
		size_t found = newest && newest == survivors_newest()
				       ? 0
				       : find_forked(directory, files, count, forked, NAMED,
						     &l->stragglers);
		while (found-- > 0)
			add(l, &forked[found]);
	}
	run_files_free(files, count);
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

static void announce(const struct living *l, int (*tell)(const char *text), bool leaving)
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

size_t survivors_wait(const char *directory, int signals, pid_t newest,
		      int (*tell)(const char *text), bool (*over)(const void *context),
		      const void *context)
{
	struct living l;
	bool told = false;
	int grace_ms = GRACE_MS, settle_ms = SETTLE_MS;

	for (;;) {
		find_living(directory, signals, newest, &l);
		if (!l.count && (!l.stragglers || settle_ms <= 0))
			break;
		settle_ms = l.count ? SETTLE_MS : settle_ms - SETTLE_STEP_MS;
		if (l.count && !told && !grace_ms) {
			announce(&l, tell, false);
			told = true;
		}
		int ready = poll(l.poll, l.polls,
				 !l.count ? SETTLE_STEP_MS
				 : told	  ? RESCAN_MS
					  : grace_ms);
		for (nfds_t i = 1; i < l.polls; i++)
			close(l.poll[i].fd);
		if (l.count && !told && !ready)
			grace_ms = 0;
		if ((ready > 0 && told_to_stop(&l)) || (told && over && over(context))) {
			if (l.count)
				announce(&l, tell, true);
			break;
		}
	}
	return l.count;
}
