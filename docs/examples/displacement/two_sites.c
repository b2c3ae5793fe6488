// SPDX-License-Identifier: GPL-3.0-or-later
/* Two call sites that cause different softirq work: small UDP sends and large TCP sends,
 * each at a rate that changes every so often, apart from the other's. Each can be run alone,
 * which tells what its calls cost; the regression of `scprof run --displace` has to find
 * the same from the mixture.
 *
 *      two_sites sink PORT                      takes what is sent, until it is killed
 *      two_sites udp|tcp|both ADDRESS PORT SECONDS [UDP_RATE TCP_RATE SEED]
 *      two_sites threads ADDRESS PORT SECONDS [UDP_RATE TCP_RATE]
 *
 * The receiver is a process of its own, so that its CPU time is not the sender's. Every
 * PHASE_MS each site draws a new share of its mean rate, from 0.1 to 1.9. With `threads` each
 * site has a thread that makes as many calls each turn: nothing varies, and no regression can tell
 * them apart but for `--dither`; what a call costs its thread is on standard error. Prints calls
 * made and CPU seconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UDP_BYTES 64
#define TCP_BYTES 8192
#define PHASE_MS  150
#define SLOT_NS	  1000000

static char buffer[1 << 20];

static void fail(const char *what)
{
	fprintf(stderr, "two_sites: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int socket_for(int type, bool passive, const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, type, 0), on = 1;

	if (fd < 0)
		fail("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (passive ? bind(fd, (const void *)to, sizeof(*to))
		    : connect(fd, (const void *)to, sizeof(*to)))
		fail(passive ? "bind" : "connect");
	return fd;
}

static void sink_udp(int fd)
{
	while (recv(fd, buffer, sizeof(buffer), 0) >= 0 || errno == EINTR)
		continue;
	fail("recv");
}

static void sink(const struct sockaddr_in *at)
{
	int udp = socket_for(SOCK_DGRAM, true, at), tcp = socket_for(SOCK_STREAM, true, at);

	if (listen(tcp, 8))
		fail("listen");
	switch (fork()) {
	case -1:
		fail("fork");
		break;
	case 0:
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sink_udp(udp);
		break;
	default:
		break;
	}
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		int fd = accept(tcp, NULL, NULL);

		if (fd < 0)
			fail("accept");
		while (read(fd, buffer, sizeof(buffer)) > 0)
			continue;
		close(fd);
	}
}

/* splitmix64 */
static uint64_t state;

static double uniform(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct site {
	int fd;
	double rate, share, owed; /* a second; of it in this phase; calls that are due */
	uint64_t calls;
};

/* Two functions, so that there are two sites whatever the compiler does. */
static __attribute__((noinline)) void send_udp(struct site *s)
{
	send(s->fd, buffer, UDP_BYTES, MSG_NOSIGNAL);
	s->calls++;
}

static __attribute__((noinline)) void send_tcp(struct site *s)
{
	if (send(s->fd, buffer, TCP_BYTES, MSG_NOSIGNAL) < 0 && errno != EINTR)
		fail("send");
	s->calls++;
}

static void make_calls(struct site *s, double seconds, void (*call)(struct site *))
{
	for (s->owed += s->rate * s->share * seconds; s->owed >= 1; s->owed--)
		call(s);
}

static void run(struct site *udp, struct site *tcp, double seconds)
{
	uint64_t begin = now_ns(), last = begin, phase = begin, now;
	const struct timespec slot = {.tv_nsec = SLOT_NS};

	while ((now = now_ns()) < begin + (uint64_t)(seconds * 1e9)) {
		double passed = (double)(now - last) / 1e9;

		if (now >= phase) {
			udp->share = 0.1 + 1.8 * uniform();
			tcp->share = 0.1 + 1.8 * uniform();
			phase += PHASE_MS * 1000000u;
		}
		/* what was missed while the CPU was away is not made up for */
		passed = passed < 0.005 ? passed : 0.005;
		make_calls(udp, passed, send_udp);
		make_calls(tcp, passed, send_tcp);
		last = now;
		nanosleep(&slot, NULL);
	}
}

struct turns {
	struct site *site;
	const char *name;
	void (*call)(struct site *);
	double seconds;
};

static void *take_turns(void *of)
{
	const struct turns *t = of;
	const struct timespec slot = {.tv_nsec = SLOT_NS};
	struct timespec used;
	uint64_t end = now_ns() + (uint64_t)(t->seconds * 1e9);

	while (now_ns() < end) {
		for (int i = 0; i < (int)(t->site->rate * SLOT_NS / 1e9); i++)
			t->call(t->site);
		nanosleep(&slot, NULL);
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	fprintf(stderr, "%s: %.0f ns of CPU time a call\n", t->name,
		((double)used.tv_sec * 1e9 + (double)used.tv_nsec) / (double)t->site->calls);
	return NULL;
}

static void run_threads(struct site *udp, struct site *tcp, double seconds)
{
	struct turns one = {udp, "udp", send_udp, seconds}, other = {tcp, "tcp", send_tcp, seconds};
	pthread_t thread;

	if (pthread_create(&thread, NULL, take_turns, &one))
		fail("pthread_create");
	take_turns(&other);
	pthread_join(thread, NULL);
}

static struct sockaddr_in address(const char *host, const char *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};

	if (inet_pton(AF_INET, host, &a.sin_addr) != 1) {
		fprintf(stderr, "two_sites: %s is no address\n", host);
		exit(2);
	}
	return a;
}

int main(int argc, char **argv)
{
	struct site udp = {.fd = -1, .share = 1}, tcp = {.fd = -1, .share = 1};
	struct sockaddr_in to;
	struct rusage used;
	bool both, threads;

	if (argc == 3 && !strcmp(argv[1], "sink")) {
		to = address("0.0.0.0", argv[2]);
		sink(&to);
	}
	if (argc < 5) {
		fprintf(stderr, "usage: two_sites sink PORT\n       two_sites udp|tcp|both|threads "
				"ADDRESS PORT SECONDS [UDP_RATE TCP_RATE SEED]\n");
		return 2;
	}
	to = address(argv[2], argv[3]);
	state = argc > 7 ? strtoull(argv[7], NULL, 10) : 1;
	threads = !strcmp(argv[1], "threads");
	both = threads || !strcmp(argv[1], "both");
	udp.fd = socket_for(SOCK_DGRAM, false, &to);
	tcp.fd = socket_for(SOCK_STREAM, false, &to);
	if (both || !strcmp(argv[1], "udp"))
		udp.rate = argc > 5 ? atof(argv[5]) : 20000;
	if (both || !strcmp(argv[1], "tcp"))
		tcp.rate = argc > 6 ? atof(argv[6]) : 10000;
	(threads ? run_threads : run)(&udp, &tcp, atof(argv[4]));
	getrusage(RUSAGE_SELF, &used);
	printf("udp %llu tcp %llu cpu_s %.6f\n", (unsigned long long)udp.calls,
	       (unsigned long long)tcp.calls,
	       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
	return 0;
}
