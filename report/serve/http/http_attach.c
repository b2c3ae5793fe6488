// SPDX-License-Identifier: GPL-3.0-or-later
/* A browser always sends an Origin with a POST, or says from where it was asked for, and no page of
 * ours asks for this: whoever sends one is a page of somebody else's, and is refused. */
#include "report/serve/http/http_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/report.h"

#define LOOK_MS	 50
#define SLACK_S	 120 /* beyond the time it records for */
#define END_S	 30  /* from SIGTERM to its end */
#define SAID	 400 /* bytes of its complaint */
#define JSON	 "application/json"
#define MOST_OUT (UINT64_C(256) << 20)

extern char **environ;

/* Another user than the server's leaves places to the others, and all of them leave one to the
 * server's. 0, or -1: too many, or one of that process. */
static int enter(struct http *h, uint32_t pid, uid_t by, struct http_answer *out)
{
	bool busy = false, place = false;
	size_t free_one = 0, all = 0, others = 0, his = 0;

	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < HTTP_ATTACHED; i++) {
		busy |= h->attached[i].pid == pid;
		all += h->attached[i].pid != 0;
		others += h->attached[i].pid && h->attached[i].by != geteuid();
		his += h->attached[i].pid && h->attached[i].by == by;
		if (!h->attached[i].pid) {
			place = true;
			free_one = i;
		}
	}
	place = place && (by == geteuid() ||
			  (his < HTTP_ATTACHED_OF_ONE && others < HTTP_ATTACHED_OF_OTHERS));
	if (place && !busy) {
		h->attached[free_one].pid = pid;
		h->attached[free_one].by = by;
	}
	pthread_mutex_unlock(&h->lock);
	if (busy)
		http_answer_say(out, 409, "process %u is being recorded already\n", pid);
	else if (!place)
		http_answer_say(out, 503, "%zu processes are being recorded: try again later\n",
				his < HTTP_ATTACHED_OF_ONE ? all : his);
	return place && !busy ? 0 : -1;
}

static void leave(struct http *h, uint32_t pid)
{
	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < HTTP_ATTACHED; i++)
		if (h->attached[i].pid == pid)
			h->attached[i].pid = 0;
	pthread_mutex_unlock(&h->lock);
}

/* For a clear answer: the kernel decides. */
static bool may_attach(const struct http_peer *peer, uint32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return !stat(path, &st) && (!peer->uid || st.st_uid == peer->uid);
}

/* Nothing of the server's environment is for another user. */
static char **environment_for(bool other, char *library, size_t size, char *few[2])
{
	const char *set = getenv("SCPROF_LIB");

	if (!other)
		return environ;
	snprintf(library, size, "SCPROF_LIB=%s", set ? set : "");
	few[0] = set ? library : NULL;
	few[1] = NULL;
	return few;
}

/* A recording for another user leaves no file: it could be nowhere but where that user may write.
 */
static int start(struct http *h, const struct request *r, const struct http_peer *by, int out,
		 int err, pid_t *child)
{
	const struct agent_options *o = &h->agent->options;
	char pid[16], length[32], clock[32], groups[144], who[32] = "-";
	char library[PATH_MAX], *few[2];
	const char *argv[16] = {"scprof", "attach-watched", who, "--format=json"};
	bool other = by->uid && by->uid != geteuid();
	posix_spawn_file_actions_t files;
	size_t n = 4;

	if (other) {
		snprintf(who, sizeof(who), "=%u:%u", by->uid, by->gid);
	} else {
		argv[n++] = "-o";
		argv[n++] = o->directories ? o->directory[o->directories - 1] : ".";
	}
	snprintf(length, sizeof(length), "--for=%.3fs", r->seconds);
	argv[n++] = length;
	snprintf(groups, sizeof(groups), "--groups=%s", r->groups);
	if (*r->groups)
		argv[n++] = groups;
	snprintf(clock, sizeof(clock), "--clock=%s", report_names_clock(r->clock));
	if (r->clock != SCP_CLOCK_NONE)
		argv[n++] = clock;
	if (r->children)
		argv[n++] = "--children";
	snprintf(pid, sizeof(pid), "%u", r->pid);
	argv[n++] = pid;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	errno = posix_spawn(child, "/proc/self/exe", &files, NULL, (char *const *)argv,
			    environment_for(other, library, sizeof(library), few));
	posix_spawn_file_actions_destroy(&files);
	return errno ? -1 : 0;
}

/* It is asked to end where nobody waits for it, or it takes too long, and puts the process right
 * first. The user whose rights it has can stop it: it is continued, and killed in the end. */
static int await(struct http *h, pid_t child, int client, double seconds)
{
	uint64_t until = clocks_read_ns(CLOCK_MONOTONIC) +
			 (uint64_t)((seconds + SLACK_S) * SOURCE_SECOND_NS);
	bool asked = false;
	int status = -1;
	pid_t ended;

	while (!(ended = waitpid(child, &status, WNOHANG)) || (ended < 0 && errno == EINTR)) {
		bool late = clocks_read_ns(CLOCK_MONOTONIC) >= until;

		if (asked) {
			kill(child, late ? SIGKILL : SIGCONT);
		} else if (late || http_is_over(h, client)) {
			kill(child, SIGTERM);
			kill(child, SIGCONT);
			until = clocks_read_ns(CLOCK_MONOTONIC) + END_S * SOURCE_SECOND_NS;
			asked = true;
		}
		usleep(LOOK_MS * 1000);
	}
	return ended == child ? status : -1;
}

static void take_report(int fd, struct http_answer *out)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_size <= 0) {
		http_answer_say(out, 200, "null\n"); /* it called nothing */
		out->type = JSON;
		close(fd);
		return;
	}
	if ((uint64_t)st.st_size > MOST_OUT) {
		http_answer_say(out, 500, "the report is too large\n");
		close(fd);
		return;
	}
	out->status = 200;
	out->type = JSON;
	out->file = fd;
	out->bytes = (size_t)st.st_size;
}

static void take_complaint(int fd, struct http_answer *out)
{
	char said[SAID];
	ssize_t bytes = pread(fd, said, sizeof(said) - 1, 0);

	said[bytes > 0 ? bytes : 0] = '\0';
	http_answer_say(out, 422, "%s", *said ? said : "scprof attach failed\n");
}

static void record(struct http *h, const struct request *r, const struct http_attach_asker *asker,
		   struct http_answer *out)
{
	int report = memfd_create("scprof-report", MFD_CLOEXEC),
	    said = memfd_create("scprof-said", MFD_CLOEXEC), status;
	pid_t child;

	if (report < 0 || said < 0 || start(h, r, &asker->peer, report, said, &child)) {
		http_answer_say(out, 503, "cannot start scprof attach: %s\n", strerror(errno));
		if (report >= 0)
			close(report);
	} else {
		status = await(h, child, asker->client, r->seconds);
		if (WIFEXITED(status) && !WEXITSTATUS(status)) {
			take_report(report, out);
		} else {
			take_complaint(said, out);
			close(report);
		}
	}
	if (said >= 0)
		close(said);
}

/* false: the answer says why. */
static bool is_allowed(struct http *h, const struct request *r,
		       const struct http_attach_asker *asker, struct http_answer *out)
{
	const struct agent_options *o = &h->agent->options;
	const struct http_peer *peer = &asker->peer;

	if (!o->allow_attach)
		http_answer_say(out, 403,
				"this server records nothing itself: start it with "
				"--allow-attach\n");
	else if (asker->browser)
		http_answer_say(out, 403, "no page of a browser may ask for this\n");
	else if (!peer->known && o->attach_token)
		http_answer_say(out, 401,
				"the header Authorization has not this server's token (curl -H "
				"\"Authorization: Bearer $(cat FILE)\"), with which root's server "
				"records every process; or ask by the socket %s\n",
				h->local.sun_path);
	else if (!peer->known)
		http_answer_say(out, 403,
				"who asks is not known here: ask by the socket %s (curl "
				"--unix-socket %s -X POST ...)\n",
				h->local.sun_path, h->local.sun_path);
	else if (r->pid == (uint32_t)getpid())
		http_answer_say(out, 422, "process %u is this server\n", r->pid);
	else if (peer->uid && geteuid() && peer->uid != geteuid())
		http_answer_say(out, 403, "this server records for user %u and root\n", geteuid());
	else if (!may_attach(peer, r->pid))
		http_answer_say(out, 403, "user %u has no process %u here\n", peer->uid, r->pid);
	else
		return true;
	return false;
}

void http_attach_answer(struct http *h, const struct request *r,
			const struct http_attach_asker *asker, struct http_answer *out)
{
	if (is_allowed(h, r, asker, out) && !enter(h, r->pid, asker->peer.uid, out)) {
		record(h, r, asker, out);
		leave(h, r->pid);
	}
	out->bearer = h->agent->options.attach_token != NULL;
}
