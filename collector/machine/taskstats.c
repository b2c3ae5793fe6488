// SPDX-License-Identifier: GPL-3.0-or-later
/* Generic netlink, by hand: a header, a command, attributes. An end of a task comes as
 * TASKSTATS_TYPE_AGGR_PID { TASKSTATS_TYPE_PID, TASKSTATS_TYPE_STATS }; totals of whole processes
 * (AGGR_TGID), which follow, are left out: they would count twice. */
#include "collector/machine/taskstats.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/taskstats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/machine/cpus.h"
#include "profile/base/kernel_file.h"

#define BUFFER	  8192
#define ROOM	  (8 << 20) /* for ends that wait */
#define ANSWER_MS 500
#define HEADER	  (NLMSG_HDRLEN + GENL_HDRLEN)

struct message {
	struct nlmsghdr header;
	struct genlmsghdr command;
	char attributes[256];
};

static int send_command(const struct taskstats_socket *s, uint16_t type, uint8_t command,
			uint16_t attribute, const void *data, size_t length)
{
	struct message m = {
		.header = {.nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
		.command = {.cmd = command, .version = 1},
	};
	struct nlattr a = {.nla_len = (uint16_t)(NLA_HDRLEN + length), .nla_type = attribute};

	memcpy(m.attributes, &a, sizeof(a));
	memcpy(m.attributes + NLA_HDRLEN, data, length);
	m.header.nlmsg_len = (uint32_t)(HEADER + NLA_ALIGN(a.nla_len));
	return send(s->fd, &m, m.header.nlmsg_len, 0) == (ssize_t)m.header.nlmsg_len ? 0 : -1;
}

/* The attribute in `length` bytes of attributes; NULL: not there. */
static const struct nlattr *attribute(const char *at, size_t length, uint16_t type)
{
	while (length >= NLA_HDRLEN) {
		const struct nlattr *a = (const struct nlattr *)(const void *)at;
		size_t step = NLA_ALIGN(a->nla_len);

		if (a->nla_len < NLA_HDRLEN || a->nla_len > length)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		if (step >= length)
			return NULL;
		at += step;
		length -= step;
	}
	return NULL;
}

static const char *payload(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

/* The kernel's structure grows at its end; what an older one lacks stays zero. */
static bool take_stats(const struct nlattr *aggregate, struct taskstats_task *task)
{
	const struct nlattr *a = attribute(payload(aggregate), aggregate->nla_len - NLA_HDRLEN,
					   TASKSTATS_TYPE_STATS);
	struct taskstats t = {0};

	if (!a)
		return false;
	size_t length = a->nla_len - NLA_HDRLEN;
	memcpy(&t, payload(a), length < sizeof(t) ? length : sizeof(t));
	*task = (struct taskstats_task){
		.thread = (pid_t)t.ac_pid,
		.parent = (pid_t)t.ac_ppid,
		.run_ns = t.cpu_run_virtual_total,
	};
#if TASKSTATS_VERSION >= 12
	task->process = (pid_t)t.ac_tgid;
#endif
	snprintf(task->name, sizeof(task->name), "%.31s", t.ac_comm);
	return true;
}

/* One datagram: 1: a task, 0: something else, -1: none. */
static int receive(struct taskstats_socket *s, int flags, struct taskstats_task *task, int *error)
{
	char buffer[BUFFER] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *h = (const struct nlmsghdr *)(const void *)buffer;
	const struct nlattr *a;
	ssize_t length = recv(s->fd, buffer, sizeof(buffer), flags);

	*error = 0;
	if (length < 0) {
		s->missed += errno == ENOBUFS;
		return errno == ENOBUFS ? 0 : -1;
	}
	if ((size_t)length < sizeof(*h) || h->nlmsg_len > (size_t)length)
		return 0;
	if (h->nlmsg_type == NLMSG_ERROR) {
		memcpy(error, buffer + NLMSG_HDRLEN, sizeof(*error));
		return *error ? -1 : 0;
	}
	if (h->nlmsg_len <= HEADER)
		return 0;
	if (h->nlmsg_type == GENL_ID_CTRL) {
		a = attribute(buffer + HEADER, h->nlmsg_len - HEADER, CTRL_ATTR_FAMILY_ID);
		if (a)
			memcpy(&s->family, payload(a), sizeof(s->family));
		return a ? 1 : 0;
	}
	a = attribute(buffer + HEADER, h->nlmsg_len - HEADER, TASKSTATS_TYPE_AGGR_PID);
	return a && take_stats(a, task);
}

/* An answer, if any, then an acknowledgement; or an error alone. */
static int answer(struct taskstats_socket *s)
{
	struct taskstats_task none;
	int error, got;

	do
		got = receive(s, 0, &none, &error);
	while (got > 0);
	if (error)
		errno = -error;
	return got;
}

static int fail(struct taskstats_socket *s, const char *what)
{
	snprintf(s->why, sizeof(s->why), "%s: %s%s", what, strerror(errno),
		 errno == EPERM	   ? " (needs root: CAP_NET_ADMIN)"
		 : errno == EINVAL ? " (not in a container's namespaces)"
				   : "");
	return -1;
}

int taskstats_open(struct taskstats_socket *s, const cpu_set_t *cpus)
{
	const struct timeval patience = {.tv_usec = ANSWER_MS * 1000};
	const int room = ROOM;
	char list[160];

	*s = (struct taskstats_socket){
		.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC)};
	if (s->fd < 0)
		return fail(s, "netlink");
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	cpus_print(cpus, list, sizeof(list));
	if (send_command(s, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
			 TASKSTATS_GENL_NAME, sizeof(TASKSTATS_GENL_NAME)) ||
	    answer(s) ||
	    send_command(s, s->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, list,
			 strlen(list) + 1) ||
	    answer(s))
		return fail(s, "taskstats");
	return 0;
}

bool taskstats_next(struct taskstats_socket *s, struct taskstats_task *task)
{
	int got, error;

	if (*s->why)
		return false;
	do
		got = receive(s, MSG_DONTWAIT, task, &error);
	while (!got);
	return got > 0;
}

void taskstats_close(struct taskstats_socket *s)
{
	kernel_file_close(&s->fd);
	if (!*s->why)
		snprintf(s->why, sizeof(s->why), "closed");
}

/* One inherited counter a CPU and one over all: the difference is what ran outside the
 * set. The kernel adds living children's counts when asked and ended ones' when they end,
 * waited for or not. */

static int open_one(pid_t pid, int cpu)
{
	/* Unprivileged users may count user space only; this counter makes no difference. */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int give_up(struct task_clock *c, const char *what)
{
	snprintf(c->why, sizeof(c->why), "%s: %s%s", what, strerror(errno),
		 errno == EACCES || errno == EPERM
			 ? " (kernel.perf_event_paranoid above 2, or a sandbox)"
			 : "");
	return -1;
}

int task_clock_open(struct task_clock *c, pid_t pid, const cpu_set_t *set)
{
	size_t count = (size_t)CPU_COUNT(set);
	int cpu = -1;

	*c = (struct task_clock){.fd = calloc(count + 1, sizeof(int))};
	if (!c->fd)
		return give_up(c, "out of memory");
	for (size_t i = 0; i <= count; i++) {
		do
			cpu++;
		while (i < count && !CPU_ISSET(cpu, set));
		int fd = open_one(pid, i < count ? cpu : -1);

		if (fd < 0)
			return give_up(c, "perf_event_open");
		c->fd[c->cpus++] = fd;
		if (ioctl(fd, PERF_EVENT_IOC_RESET, 0) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			return give_up(c, "PERF_EVENT_IOC_ENABLE");
	}
	c->cpus = count;
	return 0;
}

static uint64_t count(int fd)
{
	uint64_t ns;

	return read(fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) ? ns : UINT64_MAX;
}

uint64_t task_clock_all(const struct task_clock *c)
{
	return *c->why ? UINT64_MAX : count(c->fd[c->cpus]);
}

uint64_t task_clock_on(const struct task_clock *c, size_t i)
{
	return *c->why ? UINT64_MAX : count(c->fd[i]);
}

void task_clock_close(struct task_clock *c)
{
	size_t open = *c->why ? c->cpus : c->cpus + 1;

	for (size_t i = 0; c->fd && i < open; i++)
		close(c->fd[i]);
	PROF_FREE(c, fd);
	c->cpus = 0;
	if (!*c->why)
		snprintf(c->why, sizeof(c->why), "closed");
}
