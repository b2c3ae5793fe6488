// SPDX-License-Identifier: GPL-3.0-or-later
/* The process executes the tool's own file again: a forked copy of a process with threads could
 * wait for ever for a lock that another thread held. */
#include "report/serve/render/rendering.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/serve/monotonic.h"
#include "report/serve/render/renderer.h"

#define LOOK_MS 1000 /* between looks whether the client is there */

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
	int error;

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
	error = posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	if (!error)
		error = posix_spawn(pid, "/proc/self/exe", &files, &attributes, argv, environ);
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

/* With the lock, so that renderings_stop finds either no process, or one that it can end. */
static enum rendering_result spawn_unless_stopping(struct renderings *all, struct rendering *one,
						   int other)
{
	enum rendering_result result = RENDERING_STOPPED;
	int error = 0;

	pthread_mutex_lock(&all->lock);
	if (!all->stopping) {
		error = spawn(&one->pid, other, one->output);
		result = error ? RENDERING_NO_PROCESS : RENDERING_GOING;
		if (error)
			one->pid = 0;
	}
	pthread_mutex_unlock(&all->lock);
	errno = error;
	return result;
}

enum rendering_result rendering_start(struct renderings *all, struct rendering *one,
				      struct renderer_job *job)
{
	enum rendering_result result = RENDERING_NO_PROCESS;
	int other = -1, error;

	job->agent = getpid();
	job->limits = all->limits;
	if (make_descriptors(one, &other, job->limits.seconds) == 0)
		result = spawn_unless_stopping(all, one, other);
	error = errno;
	if (other >= 0)
		close(other);
	if (result == RENDERING_GOING)
		send(one->socket, job, sizeof(*job), MSG_NOSIGNAL); /* else it ends: seen later */
	errno = error;
	return result;
}

/* A process that SIGKILL does not end soon is blocked in a system call, for example for a file of
 * a dead server: it keeps its turn, and nobody waits for it. The status, or 0: unknown. */
static int reap(struct renderings *all, struct rendering *one)
{
	int status = 0;
	pid_t gone = 0;

	for (long ns = 50000; !gone && ns < 1000000000; ns *= 2) {
		const struct timespec moment = {.tv_nsec = ns};

		pthread_mutex_lock(&all->lock);
		gone = waitpid(one->pid, &status, WNOHANG);
		if (gone)
			one->pid = 0;
		pthread_mutex_unlock(&all->lock);
		if (!gone)
			nanosleep(&moment, NULL);
	}
	return gone > 0 ? status : 0;
}

static int end(struct renderings *all, struct rendering *one, bool kill_it)
{
	if (!one->pid)
		return 0;
	if (kill_it)
		kill(one->pid, SIGKILL);
	return reap(all, one);
}

void rendering_stop(struct renderings *all, struct rendering *one)
{
	end(all, one, true);
}

/* The process has closed its socket without an answer: it ends, or has ended. */
static enum rendering_result why_it_died(struct renderings *all, struct rendering *one)
{
	int status = end(all, one, false);
	bool stopping;

	one->status = status;
	end(all, one, true);
	pthread_mutex_lock(&all->lock);
	stopping = all->stopping;
	pthread_mutex_unlock(&all->lock);
	if (stopping)
		return RENDERING_STOPPED;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return RENDERING_LATE;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		return RENDERING_TOO_LONG;
	return RENDERING_DIED;
}

static enum rendering_result result_of(const struct renderer_message *said)
{
	switch (said->word) {
	case RENDERER_READ:
		return RENDERING_GOING;
	case RENDERER_DONE:
		return RENDERING_DONE;
	case RENDERER_EMPTY:
		return RENDERING_EMPTY;
	case RENDERER_UNREADABLE:
		return RENDERING_UNREADABLE;
	case RENDERER_NO_MEMORY:
		return RENDERING_NO_MEMORY;
	}
	return RENDERING_DIED;
}

static enum rendering_result listen_to(struct renderings *all, struct rendering *one, int client,
				       struct renderer_message *said)
{
	uint64_t end_ns = monotonic_now_ns() + (uint64_t)(all->limits.seconds * 1e9), now_ns;

	for (;;) {
		struct pollfd ready[] = {{.fd = one->socket, .events = POLLIN},
					 {.fd = client, .events = POLLRDHUP}};
		ssize_t bytes = recv(one->socket, said, sizeof(*said), MSG_DONTWAIT);

		if (bytes == (ssize_t)sizeof(*said))
			return result_of(said);
		if (bytes >= 0 || (errno != EAGAIN && errno != EINTR))
			return why_it_died(all, one);
		now_ns = monotonic_now_ns();
		if (now_ns >= end_ns)
			return RENDERING_LATE;
		if (rendering_has_left(client))
			return RENDERING_STOPPED;
		now_ns = (end_ns - now_ns) / 1000000 + 1;
		poll(ready, client < 0 ? 1 : 2, now_ns < LOOK_MS ? (int)now_ns : LOOK_MS);
	}
}

enum rendering_result rendering_ask(struct renderings *all, struct rendering *one,
				    const struct snapshot *s, int client,
				    struct renderer_message *said)
{
	enum rendering_result result;

	if (s && renderer_wire_send(one->socket, s) && errno == EAGAIN)
		result = RENDERING_LATE; /* other errors mean that it has died: listen_to finds out
					  */
	else
		result = listen_to(all, one, client, said);
	if (result != RENDERING_GOING)
		rendering_stop(all, one);
	return result;
}
