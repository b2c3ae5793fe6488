// SPDX-License-Identifier: GPL-3.0-or-later
/* Directories are looked at before anything starts: a typing error shall not wait for ever. */
#include "cli/serve_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/complaint.h"
#include "cli/quantity.h"

#define LISTEN_DEFAULT	  "127.0.0.1:9464"
#define SERVICES_DEFAULT  100
#define FUNCTIONS_DEFAULT 200
#define FILES_DEFAULT	  4096
#define MOST_OF_ANY	  100000
#define MOST_FILE_BYTES	  (UINT64_C(256) << 20)

const char serve_usage[] =
	"usage: scprof serve [OPTION...] [DIR...]\n"
	"Follow the profiles of all profiled processes of this host and offer them by HTTP:\n"
	"/ (what runs, with means and intervals; reports and flame graphs), /metrics (for\n"
	"Prometheus, in OpenMetrics or the text format), /debug/pprof/profile (for Parca and\n"
	"Pyroscope; ?seconds=N for the next N seconds), /healthz. Only profiles of the same user\n"
	"are read; root reads everybody's. SIGTERM ends it.\n"
	"\n"
	"  DIR                 look for profiles here, and in directories of runs in it (default:\n"
	"                      /dev/shm, where `scprof run` keeps them while a command runs, and\n"
	"                      SCPROF_OUT or else the working directory)\n"
	"  --listen ADDR:PORT  (default: " LISTEN_DEFAULT "; port 0: any). Nobody is asked\n"
	"                      for a password: who reaches another address than loopback sees\n"
	"                      all\n"
	"  --max-services N    programs with metrics of their own (default: 100)\n"
	"  --max-functions N   functions of a program likewise (default: 200); what is beyond is\n"
	"                      summed as \"other\"\n"
	"  --max-files N       profiles followed at a time (default: 4096)\n"
	"  --max-seconds N     for a page or pprof profile to be made (default: 60)\n"
	"  --from-now          metrics of processes that began earlier count from now on\n"
	"  --confidence R      of the intervals, 0.95 or 95% (default: 0.95)\n"
	"  -h, --help          this text\n"
	"\n"
	"exit status: 0 ended by a signal; 1 cannot listen, or out of memory; 2 wrong usage\n";

enum {
	OPT_LISTEN = 256,
	OPT_SERVICES,
	OPT_FUNCTIONS,
	OPT_FILES,
	OPT_SECONDS,
	OPT_NOW,
	OPT_CONFIDENCE
};

static const struct option long_options[] = {
	{"listen", required_argument, NULL, OPT_LISTEN},
	{"max-services", required_argument, NULL, OPT_SERVICES},
	{"max-functions", required_argument, NULL, OPT_FUNCTIONS},
	{"max-files", required_argument, NULL, OPT_FILES},
	{"max-seconds", required_argument, NULL, OPT_SECONDS},
	{"from-now", no_argument, NULL, OPT_NOW},
	{"confidence", required_argument, NULL, OPT_CONFIDENCE},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

__attribute__((format(printf, 1, 2))) static int complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complaint_format("scprof serve", format, arguments);
	va_end(arguments);
	return -1;
}

static int take_count(const char *option, const char *text, uint32_t *value)
{
	uint64_t number;

	if (quantity_count(text, 1, MOST_OF_ANY, &number))
		return complain("%s: '%.100s' is not a whole number from 1 to %d", option, text,
				MOST_OF_ANY);
	*value = (uint32_t)number;
	return 0;
}

static int take_listen(struct serve_options *o, const char *text)
{
	struct profile_error err;

	return http_address_parse(&o->address, text, &err) ? complain("%s", err.text) : 0;
}

static int take(struct serve_options *o, int option, char **argv)
{
	switch (option) {
	case OPT_LISTEN:
		return take_listen(o, optarg);
	case OPT_SERVICES:
		return take_count("--max-services", optarg, &o->agent.most_services);
	case OPT_FUNCTIONS:
		return take_count("--max-functions", optarg, &o->agent.most_functions);
	case OPT_FILES:
		return take_count("--max-files", optarg, &o->agent.most_files);
	case OPT_SECONDS:
		return take_count("--max-seconds", optarg, &o->agent.most_seconds);
	case OPT_NOW:
		o->agent.from_now = true;
		return 0;
	case OPT_CONFIDENCE:
		if (quantity_confidence(optarg, &o->agent.confidence))
			return complain("--confidence: '%.100s' is not between 0 and 1, nor a "
					"percentage such as 95%%",
					optarg);
		return 0;
	default:
		complaint_option("scprof serve", argv, option);
		return -1;
	}
}

static int check_directory(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return complain("cannot look into '%.300s': %s; name directories that hold "
				"profiles",
				path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return complain("'%.300s' is not a directory; name directories that hold profiles "
				"(`scprof report` prints a single one)",
				path);
	if (access(path, R_OK | X_OK))
		return complain("cannot look into '%.300s': %s", path, strerror(errno));
	return 0;
}

static void take_standard(struct serve_options *o)
{
	const char *out = getenv("SCPROF_OUT");

	o->standard[0] = "/dev/shm";
	o->standard[1] = out && *out ? out : getcwd(o->working, sizeof(o->working));
	o->agent.directory = o->standard;
	o->agent.directories = o->standard[1] && strcmp(o->standard[1], "/dev/shm") ? 2 : 1;
}

int serve_options_parse(struct serve_options *o, int argc, char **argv)
{
	int option;

	*o = (struct serve_options){.agent = {.most_services = SERVICES_DEFAULT,
					      .most_functions = FUNCTIONS_DEFAULT,
					      .most_files = FILES_DEFAULT,
					      .most_bytes = MOST_FILE_BYTES,
					      .confidence = 0.95}};
	optind = 0;
	opterr = 0;
	if (take_listen(o, LISTEN_DEFAULT))
		return -1;
	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (option == 'h')
			return fputs(serve_usage, stdout) == EOF || fflush(stdout) ? -1 : 1;
		if (take(o, option, argv))
			return -1;
	}
	if (optind == argc) {
		take_standard(o);
		return 0;
	}
	for (int i = optind; i < argc; i++)
		if (check_directory(argv[i]))
			return -1;
	o->agent.directory = (const char *const *)argv + optind;
	o->agent.directories = (size_t)(argc - optind);
	return 0;
}
