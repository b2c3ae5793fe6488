// SPDX-License-Identifier: GPL-3.0-or-later
/* The DASH experiment (Beilner, "Measuring with Slow Clocks", 1988, section 4): two processes pass
 * a null message back and forth, and the points 1 to 12 of the paper's Figure 16 stand in the
 * message passing. DASH had it in the kernel; here it is a small library in user space, a queue in
 * shared memory with an eventfd to wait on (docs/results/dash.md has the table of points). Usage:
 * dash_pair [CYCLES [PACE [CPU]]]. With a PACE, each interval is filled up with a loop of PACE
 * times what it took on the paper's Sun. Both processes share one CPU, as there. */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "pace.h"
#include "scprof.h"

#define SLOTS 8u

enum kind { NULL_MESSAGE = 1, LAST_MESSAGE };

struct message {
	uint32_t kind, bytes;
	uint64_t number;
};

/* One direction: one process puts in, the other takes out. */
struct mailbox {
	struct message slot[SLOTS];
	uint64_t in, out; /* so many were put in, taken out */
	int arrived;	  /* eventfd, a semaphore of the messages */
};

struct shared {
	struct mailbox to_second, to_first;
	volatile bool begun; /* the next message is the first that is measured */
};

/* A process's view of it. Process #1 passes points 1 to 4, 11 and 12, #2 the others. */
struct side {
	struct mailbox *out, *in;
	const volatile bool *begun; /* NULL: `measuring` is set elsewhere */
	bool measuring, first;
};

/* Process #2 has been told to. */
static volatile sig_atomic_t may_end;

/* The same code plays two parts: names are literals, so that a point costs no look-up. */
#define POINT(side, first_name, second_name)                                                       \
	do {                                                                                       \
		if (!(side)->measuring)                                                            \
			break;                                                                     \
		if ((side)->first)                                                                 \
			SCPROF_POINT(first_name);                                                  \
		else                                                                               \
			SCPROF_POINT(second_name);                                                 \
	} while (0)

/* The interval that begins with this point, in a paced run. */
static void work(const struct side *s, unsigned first_point, unsigned second_point)
{
	pace_fill(s->first ? first_point : second_point);
}

static __attribute__((noinline)) int send_message(struct side *s, enum kind kind)
{
	POINT(s, "1 send begins", "7 send begins");
	work(s, 1, 7);
	struct mailbox *box = s->out;
	uint64_t one = 1;

	box->slot[box->in % SLOTS] = (struct message){.kind = kind, .number = box->in};
	__atomic_store_n(&box->in, box->in + 1, __ATOMIC_RELEASE);
	if (write(box->arrived, &one, sizeof(one)) != sizeof(one))
		return -1;
	POINT(s, "2 send ends", "8 send ends");
	return 0;
}

/* The process always waits, also where the scheduler let the other one run early and the
 * message is there already: so each cycle passes every point. */
static int wait_for_message(struct side *s)
{
	uint64_t count;
	ssize_t got;

	POINT(s, "4 must wait", "10 must wait");
	work(s, 4, 10);
	do
		got = read(s->in->arrived, &count, sizeof(count));
	while (got < 0 && errno == EINTR);
	if (s->begun)
		s->measuring = *s->begun;
	POINT(s, "11 awake", "5 awake");
	work(s, 11, 5);
	return got == sizeof(count) ? 0 : -1;
}

/* Returns the kind of message, or -1. */
static __attribute__((noinline)) int receive_message(struct side *s)
{
	POINT(s, "3 receive begins", "9 receive begins");
	work(s, 3, 9);
	struct mailbox *box = s->in;
	struct message m;

	if (wait_for_message(s) < 0)
		return -1;
	if (__atomic_load_n(&box->in, __ATOMIC_ACQUIRE) == box->out)
		return -1;
	m = box->slot[box->out % SLOTS];
	if (m.number != box->out++ || m.bytes)
		return -1;
	if (m.kind == NULL_MESSAGE) /* the last one only closes the second process's last cycle */
		POINT(s, "12 receive ends", "6 receive ends");
	return (int)m.kind;
}

static int rounds_first(struct side *s, unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++) {
		if (send_message(s, NULL_MESSAGE) < 0)
			return -1;
		work(s, 2, 8);
		if (receive_message(s) < 0)
			return -1;
		work(s, 12, 6);
	}
	return 0;
}

/* The unmeasured rounds bring both processes into step, and caches and branch predictors; the last
 * passing of point 1 closes the last cycle. */
static int play_first(struct shared *shared, unsigned long cycles, unsigned long unmeasured)
{
	struct side s = {.out = &shared->to_second, .in = &shared->to_first, .first = true};

	if (rounds_first(&s, unmeasured) < 0)
		return -1;
	s.measuring = shared->begun = true;
	if (rounds_first(&s, cycles) < 0)
		return -1;
	SCPROF_POINT("1 send begins");
	SCPROF_POINT_STOP;
	s.measuring = false;
	may_end = 1;
	return send_message(&s, LAST_MESSAGE);
}

static int play_second(struct shared *shared)
{
	struct side s = {
		.out = &shared->to_first, .in = &shared->to_second, .begun = &shared->begun};
	int kind;

	while ((kind = receive_message(&s)) == NULL_MESSAGE) {
		work(&s, 12, 6);
		if (send_message(&s, NULL_MESSAGE) < 0)
			return -1;
		work(&s, 2, 8);
	}
	SCPROF_POINT_STOP;
	return kind == LAST_MESSAGE ? 0 : -1;
}

/* struct sched_attr, version 0, which libc did not declare for long. */
struct slice {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

/* Both processes on one CPU, and no pre-emption where it can be helped: who sends a message goes on
 * until it must wait, as in Figure 16. A batch process does not pre-empt when it wakes, and
 * kernels from 6.12 on give it a slice as long as asked for. Without any of this the
 * experiment goes on; the processes then overlap more. */
static void share_cpu(int cpu)
{
	struct slice slice = {.size = sizeof(slice),
			      .policy = SCHED_BATCH,
			      .nice = getpriority(PRIO_PROCESS, 0),
			      .runtime_ns = 100000000};
	struct sched_param none = {0};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (sched_getscheduler(0) == SCHED_FIFO)
		return; /* started with it: nothing of the kind pre-empts the other */
	if (syscall(SYS_sched_setattr, 0, &slice, 0) < 0)
		sched_setscheduler(0, SCHED_BATCH, &none);
}

static const char lost[] = "dash_pair: a message was lost, or a process ended early\n";

/* Process #1 would wait for ever for an answer. */
static void second_ended(int signal)
{
	(void)signal;
	if (may_end)
		return;
	if (write(STDERR_FILENO, lost, sizeof(lost) - 1) < 0)
		_exit(2);
	_exit(1);
}

static int open_mailbox(struct mailbox *box)
{
	box->arrived = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	return box->arrived < 0 ? -1 : 0;
}

static int play(struct shared *shared, unsigned long cycles, unsigned long unmeasured)
{
	struct sigaction ends = {.sa_handler = second_ended, .sa_flags = SA_RESTART};
	pid_t parent = getpid(), second;
	int status;

	if (sigaction(SIGCHLD, &ends, NULL) < 0 || (second = fork()) < 0)
		return -1;
	if (!second) { /* nor must this one wait for a parent that failed */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
			exit(1);
		exit(play_second(shared) < 0);
	}
	if (play_first(shared, cycles, unmeasured) < 0) {
		may_end = 1;
		kill(second, SIGKILL);
		waitpid(second, NULL, 0);
		return -1;
	}
	return waitpid(second, &status, 0) == second && !status ? 0 : -1;
}

static bool number(const char *text, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && *value >= 0 && *value <= most;
}

int main(int argc, char **argv)
{
	double cycles = 10000, pace = 0, cpu = sched_getcpu();

	if (argc > 4 || (argc > 1 && !number(argv[1], 1e9, &cycles)) || cycles < 1 ||
	    (argc > 2 && !number(argv[2], 100, &pace)) ||
	    (argc > 3 && !number(argv[3], CPU_SETSIZE - 1, &cpu))) {
		fprintf(stderr, "usage: dash_pair [CYCLES [PACE [CPU]]], PACE 0 to 100\n");
		return 2;
	}
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || open_mailbox(&shared->to_second) < 0 ||
	    open_mailbox(&shared->to_first) < 0) {
		fprintf(stderr, "dash_pair: cannot set up the mailboxes: %s\n", strerror(errno));
		return 1;
	}
	share_cpu((int)cpu);
	pace_begin(pace);
	if (play(shared, (unsigned long)cycles, pace > 0 ? 20 : 2000) < 0) {
		fputs(lost, stderr);
		return 1;
	}
	printf("%lu cycles\n", (unsigned long)cycles);
	return 0;
}
