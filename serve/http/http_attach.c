// SPDX-License-Identifier: GPL-3.0-or-later
/* A browser always sends an Origin with a POST, or says from where it was asked for, and no page of
 * ours asks for this: whoever sends one is a page of somebody else's, and is refused. */
#include "serve/http/http_attach.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/report.h"

#define LOOK_MS	 50
#define SAID	 400 /* bytes of its complaint */
#define JSON	 "application/json"
#define MOST_OUT (UINT64_C(256) << 20)

extern char **environ;

/* 0, or -1: too many, or one of that process. */
static int enter(struct http *h, uint32_t pid, struct http_answer *out)
{
	uint32_t *place = NULL;
	bool busy = false;

	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < HTTP_ATTACHED; i++) {
		busy |= h->attached[i] == pid;
		if (!h->attached[i])
			place = &h->attached[i];
	}
	if (place && !busy)
		*place = pid;
	pthread_mutex_unlock(&h->lock);
	if (busy)
		http_answer_say(out, 409, "process %u is being recorded already\n", pid);
	else if (!place)
		http_answer_say(out, 503, "%d processes are being recorded: try again later\n",
				HTTP_ATTACHED);
	return place && !busy ? 0 : -1;
}

static void leave(struct http *h, uint32_t pid)
{
	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < HTTP_ATTACHED; i++)
		if (h->attached[i] == pid)
			h->attached[i] = 0;
	pthread_mutex_unlock(&h->lock);
}

static bool is_own(uint32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return !stat(path, &st) && st.st_uid == geteuid();
}

static int start(struct http *h, const struct request *r, int out, int err, pid_t *child)
{
	const struct agent_options *o = &h->agent->options;
	char pid[16], length[32], clock[32], groups[sizeof(r->groups) + 16];
	const char *argv[16] = {"scprof", "attach-watched", "-", "--format=json", "-o"};
	posix_spawn_file_actions_t files;
	size_t n = 5;

	argv[n++] = o->directories ? o->directory[o->directories - 1] : ".";
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
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	errno = posix_spawn(child, "/proc/self/exe", &files, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return errno ? -1 : 0;
}

/* It is asked to end where nobody waits for it, and puts the process right first. */
static int await(struct http *h, pid_t child, int client)
{
	bool asked = false, stopping;
	int status = -1;
	pid_t ended;

	while (!(ended = waitpid(child, &status, WNOHANG)) || (ended < 0 && errno == EINTR)) {
		pthread_mutex_lock(&h->lock);
		stopping = h->stopping;
		pthread_mutex_unlock(&h->lock);
		if (!asked && (stopping || rendering_has_left(client))) {
			kill(child, SIGTERM);
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

static void record(struct http *h, const struct request *r, int client, struct http_answer *out)
{
	int report = memfd_create("scprof-report", MFD_CLOEXEC),
	    said = memfd_create("scprof-said", MFD_CLOEXEC), status;
	pid_t child;

	if (report < 0 || said < 0 || start(h, r, report, said, &child)) {
		http_answer_say(out, 503, "cannot start scprof attach: %s\n", strerror(errno));
		if (report >= 0)
			close(report);
	} else {
		status = await(h, child, client);
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

void http_attach_answer(struct http *h, const struct request *r, bool browser, int client,
			struct http_answer *out)
{
	if (!h->agent->options.allow_attach)
		http_answer_say(out, 403,
				"this server records nothing itself: start it with "
				"--allow-attach\n");
	else if (browser)
		http_answer_say(out, 403, "no page of a browser may ask for this\n");
	else if (r->pid == (uint32_t)getpid())
		http_answer_say(out, 422, "process %u is this server\n", r->pid);
	else if (!is_own(r->pid))
		http_answer_say(out, 403, "process %u is none of this server's user\n", r->pid);
	else if (!enter(h, r->pid, out)) {
		record(h, r, client, out);
		leave(h, r->pid);
	}
}
