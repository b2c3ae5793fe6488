// SPDX-License-Identifier: GPL-3.0-or-later
/* The process executes the tool's own file again: a forked copy of a process with threads could
 * wait for ever for a lock that another thread held. */
#include "report/serve/render/renderer.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/machine/cpu_times.h"

#define LOOK_MS 200  /* between looks whether the client is there and the server goes on */
#define DIES_MS 1000 /* who has closed the socket ends within this time, or is ended */

void rendering_begin(struct rendering *one, const atomic_bool *stopping, double seconds)
{
	*one = (struct rendering){
		.stopping = stopping,
		.limits = {.seconds = seconds > 0 ? seconds : RENDERING_SECONDS,
			   .memory = RENDERING_MEMORY,
			   .output = RENDERING_OUTPUT},
		.socket = -1,
		.output = -1,
	};
}

bool rendering_has_left(int client)
{
	struct pollfd p = {.fd = client, .events = POLLRDHUP};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

/* In a process group of its own: a Ctrl-C is for the agent only, which then ends it. */
static int spawn(pid_t *pid, int socket, int output)
{
	char command[] = RENDERER_COMMAND, tool[] = "scprof";
	char *argv[] = {tool, command, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, usual;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETPGROUP);
	int error = posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO)
			    ?: posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
			    ?: posix_spawn(pid, "/proc/self/exe", &files, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

static int make_descriptors(struct rendering *one, int *other, double seconds)
{
	const struct timeval patience = {.tv_sec = (time_t)seconds + 1};
	int pair[2];

	one->output = memfd_create("scprof-rendering", MFD_CLOEXEC);
	if (one->output < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	one->socket = pair[0];
	*other = pair[1];
	return setsockopt(one->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

enum rendering_result rendering_start(struct rendering *one, struct renderer_job *job)
{
	int other = -1;

	job->agent = getpid();
	job->limits = one->limits;
	bool started = !make_descriptors(one, &other, job->limits.seconds) &&
		       !spawn(&one->pid, other, one->output);
	if (other >= 0)
		close(other);
	if (!started) {
		one->pid = 0;
		return RENDERING_NO_PROCESS;
	}
	send(one->socket, job, sizeof(*job), MSG_NOSIGNAL); /* else it ends: seen later */
	return RENDERING_GOING;
}

static bool wait_for(struct rendering *one, int flags)
{
	struct rusage used = {.ru_utime = {0}};

	if (!wait4(one->pid, &one->status, flags, &used))
		return false;
	one->cpu_ns = (uint64_t)llround(1e9 * cpu_times_of_usage(&used));
	return true;
}

/* If it does not end by itself within so many milliseconds, it is killed. */
static void reap(struct rendering *one, unsigned patience_ms)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	bool gone = !one->pid;

	for (unsigned ms = 0; ms < patience_ms && !gone; ms++) {
		gone = wait_for(one, WNOHANG);
		if (!gone)
			nanosleep(&moment, NULL);
	}
	if (!gone) {
		kill(one->pid, SIGKILL);
		wait_for(one, 0);
	}
	one->pid = 0;
}

void rendering_end(struct rendering *one)
{
	reap(one, 0);
	if (one->socket >= 0)
		close(one->socket);
	if (one->output >= 0)
		close(one->output);
	one->socket = one->output = -1;
}

/* The process has closed its socket without an answer. */
static enum rendering_result why_it_died(struct rendering *one)
{
	reap(one, DIES_MS);
	if (WIFSIGNALED(one->status) && WTERMSIG(one->status) == SIGXCPU)
		return RENDERING_LATE;
	if (WIFSIGNALED(one->status) && WTERMSIG(one->status) == SIGXFSZ)
		return RENDERING_TOO_LONG;
	return RENDERING_DIED;
}

static enum rendering_result listen_to(struct rendering *one, int client,
				       struct renderer_message *said)
{
	uint64_t end_ns = clocks_read_ns(CLOCK_MONOTONIC) + (uint64_t)(one->limits.seconds * 1e9),
		 now_ns;

	for (;;) {
		struct pollfd ready[] = {{.fd = one->socket, .events = POLLIN},
					 {.fd = client, .events = POLLRDHUP}};
		ssize_t bytes = recv(one->socket, said, sizeof(*said), MSG_DONTWAIT);

		if (bytes == (ssize_t)sizeof(*said))
			return said->result;
		if (bytes >= 0 || (errno != EAGAIN && errno != EINTR))
			return why_it_died(one);
		now_ns = clocks_read_ns(CLOCK_MONOTONIC);
		if (now_ns >= end_ns)
			return RENDERING_LATE;
		if (atomic_load(one->stopping) || rendering_has_left(client))
			return RENDERING_STOPPED;
		now_ns = (end_ns - now_ns) / 1000000 + 1;
		poll(ready, client < 0 ? 1 : 2, now_ns < LOOK_MS ? (int)now_ns : LOOK_MS);
	}
}

enum rendering_result rendering_ask(struct rendering *one, const struct snapshot *s, int client,
				    struct renderer_message *said)
{
	enum rendering_result result;

	/* Other errors than EAGAIN mean that it has died: listen_to finds out. */
	if (s && renderer_wire_send(one->socket, s) && errno == EAGAIN)
		result = RENDERING_LATE;
	else
		result = listen_to(one, client, said);
	if (result != RENDERING_GOING)
		reap(one, 0);
	return result;
}
