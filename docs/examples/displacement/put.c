// SPDX-License-Identifier: GPL-3.0-or-later
/* The process under test of the displacement experiments: `put compute` computes, `put
 * send` sends TCP messages to a sink that it forks, `put rate` says how fast it
 * computes. Run it by itself, or under `scprof displace`; table1.py to table4.py do. It ends
 * with one line that says what it did and what getrusage thinks it took. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signal.h>

#include "put.h"

static const char usage[] =
	"usage: put compute LOOPS MICROSECONDS [OPTION...]\n"
	"       put send LOOPS BYTES [OPTION...]\n"
	"       put pause LOOPS MICROSECONDS\n"
	"       put rate\n"
	"\n"
	"  --rate N          turns of the computing loop a microsecond (default: found out)\n"
	"  --task-clock      count the time on a CPU, too: on_cpu_s\n"
	"  --cpu N           run on this CPU; the sink: --peer-cpu N\n"
	"  --compute US      send: compute for so long after each message; --pause US: sleep\n"
	"  --address A       send: where the sink listens (default: 127.0.0.1)\n"
	"  --net FILE        send: enter this network namespace (/proc/PID/ns/net); the sink:\n"
	"                    --peer-net FILE; both enter --user-ns FILE before\n"
	"\n"
	"exit status: 0 done, 1 failed, 2 wrong usage\n";

void put_fail(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "put: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

static _Noreturn void misused(const char *what, const char *value)
{
	fprintf(stderr, "put: %s '%s'\n%s", what, value, usage);
	exit(2);
}

static double number(const char *text, const char *what, double least, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= least && value <= most))
		misused(what, text);
	return value;
}

enum {
	OPT_RATE = 256,
	OPT_CLOCK,
	OPT_CPU,
	OPT_PEER_CPU,
	OPT_COMPUTE,
	OPT_PAUSE,
	OPT_ADDRESS,
	OPT_NET,
	OPT_PEER,
	OPT_USER
};

static const struct option long_options[] = {
	{"rate", required_argument, NULL, OPT_RATE},
	{"task-clock", no_argument, NULL, OPT_CLOCK},
	{"cpu", required_argument, NULL, OPT_CPU},
	{"peer-cpu", required_argument, NULL, OPT_PEER_CPU},
	{"compute", required_argument, NULL, OPT_COMPUTE},
	{"pause", required_argument, NULL, OPT_PAUSE},
	{"address", required_argument, NULL, OPT_ADDRESS},
	{"net", required_argument, NULL, OPT_NET},
	{"peer-net", required_argument, NULL, OPT_PEER},
	{"user-ns", required_argument, NULL, OPT_USER},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void take(struct put_options *o, int option, const char *value)
{
	switch (option) {
	case OPT_RATE:
		o->rate = number(value, "--rate is not a positive number:", 1e-6, 1e9);
		break;
	case OPT_CLOCK:
		o->clocked = true;
		o->clock = put_clock_open();
		break;
	case OPT_CPU:
		o->cpu = (int)number(value, "--cpu is no CPU:", 0, 1023);
		break;
	case OPT_PEER_CPU:
		o->peer_cpu = (int)number(value, "--peer-cpu is no CPU:", 0, 1023);
		break;
	case OPT_COMPUTE:
		o->compute_us = number(value, "--compute is no time in us:", 0, 1e9);
		break;
	case OPT_PAUSE:
		o->pause_us = number(value, "--pause is no time in us:", 0, 1e9);
		break;
	case OPT_ADDRESS:
		o->address = value;
		break;
	case OPT_NET:
		o->net = value;
		break;
	case OPT_PEER:
		o->peer_net = value;
		break;
	case OPT_USER:
		o->user_ns = value;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

static double cpu_seconds(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double compute(const struct put_options *o)
{
	uint64_t turns = put_turns(o);
	double began = put_now();

	for (uint64_t i = 0; i < o->loops; i++)
		put_spin(turns);
	return put_now() - began;
}

static double pausing(const struct put_options *o)
{
	double began = put_now();

	for (uint64_t i = 0; i < o->loops; i++)
		put_pause(o);
	return put_now() - began;
}

static void tell(const struct put_options *o, double elapsed)
{
	printf("put: loops %llu elapsed_s %.9f self_s %.6f sink_s %.6f",
	       (unsigned long long)o->loops, elapsed, cpu_seconds(RUSAGE_SELF),
	       cpu_seconds(RUSAGE_CHILDREN));
	if (o->clocked)
		printf(" on_cpu_s %.6f", put_clock_seconds(o->clock));
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct put_options o = {.cpu = -1, .peer_cpu = -1, .address = "127.0.0.1"};
	int option;

	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
		take(&o, option, optarg);
	argv += optind;
	argc -= optind;
	put_pin(o.cpu);
	if (argc == 1 && !strcmp(argv[0], "rate")) {
		printf("%.6f\n", put_rate());
		return 0;
	}
	if (argc != 3)
		misused("expected compute, send or rate with their arguments, not",
			argc ? argv[0] : "");
	o.loops = (uint64_t)number(argv[1], "LOOPS is not a count:", 1, 1e12);
	/* A burner in the background ends with whoever started it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1);
	if (!strcmp(argv[0], "compute")) {
		o.compute_us = number(argv[2], "MICROSECONDS is no time:", 0, 1e9);
		tell(&o, compute(&o));
	} else if (!strcmp(argv[0], "send")) {
		o.bytes = (size_t)number(argv[2], "BYTES is no size:", 1, 1 << 26);
		tell(&o, put_send(&o));
	} else if (!strcmp(argv[0], "pause")) {
		o.pause_us = number(argv[2], "MICROSECONDS is no time:", 0, 1e9);
		tell(&o, pausing(&o));
	} else {
		misused("expected compute, send, pause or rate, not", argv[0]);
	}
	return 0;
}
