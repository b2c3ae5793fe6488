// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof serve: looks for profiles every second until a signal ends it; requests are answered by
 * threads of the server. */
#include "cli/cmd.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/usage/output.h"
#include "profile/live/run_files.h"
#include "report/serve/http/http.h"
#include "report/serve/render/renderer.h"

#define LISTEN_DEFAULT	  "127.0.0.1:9464"
#define SERVICES_DEFAULT  100
#define FUNCTIONS_DEFAULT 200
#define FILES_DEFAULT	  4096
#define MOST_OF_ANY	  100000
#define MOST_FILE_BYTES	  (UINT64_C(256) << 20)

enum { OPT_LISTEN = USAGE_OWN, OPT_ATTACH, OPT_TOKEN };

static const struct usage_entry usage_operands[] = {
	{.name = "DIR",
	 .text = "look for profiles here, and in directories of runs in it. Default: /dev/shm, "
		 "where `scprof run` keeps them meanwhile, and SCPROF_OUT, else the working "
		 "directory"},
	{0}};

struct serve_options {
	struct http_address address;
	struct agent_options agent;
	const char *standard[2]; /* directories, where none were named */
	char working[4096];
	char token[HTTP_PEER_TOKEN];
};

#define MEMBER(kind, member, ...) OPTIONS_MEMBER(kind, serve_options, agent.member, ##__VA_ARGS__)
static const struct usage_entry usage_options[] = {
	{"listen", OPT_LISTEN, "ADDR:PORT",
	 .text = "(default: 127.0.0.1:9464; port 0: any). Nobody is asked for a password: who "
		 "reaches another address than loopback sees all"},
	{"max-services", 0, "N", .text = "programs with metrics of their own (default: 100)",
	 MEMBER(COUNT32, most_services, .least = 1, .most = MOST_OF_ANY)},
	{"max-functions", 0, "N",
	 .text = "functions of a program likewise (default: 200); what is beyond is summed as "
		 "\"other\"",
	 MEMBER(COUNT32, most_functions, .least = 1, .most = MOST_OF_ANY)},
	{"max-files", 0, "N", .text = "profiles followed at a time (default: 4096)",
	 MEMBER(COUNT32, most_files, .least = 1, .most = MOST_OF_ANY)},
	{"max-seconds", 0, "N", .text = "for a page or pprof profile to be made (default: 60)",
	 MEMBER(COUNT32, most_seconds, .least = 1, .most = MOST_OF_ANY)},
	{"allow-attach", OPT_ATTACH, "[=PATH]",
	 .text = "let POST /attach?pid=N&for=10s record processes, 300 s at most: each user's own, "
		 "root all. Who asks is known by this Unix socket (default: "
		 "/run/scprof-serve.PORT.sock, of other users than root in XDG_RUNTIME_DIR or "
		 "/tmp)",
	 .flags = USAGE_TYPED_ONLY, MEMBER(TEXT, attach_socket)},
	{"attach-token", OPT_TOKEN, "FILE",
	 .text = "with --allow-attach: who sends what is in this file, which only this server's "
		 "user may read, may ask over TCP, too, with this user's rights",
	 .flags = USAGE_TYPED_ONLY},
	{"from-now", 0, NULL, .text = "metrics of processes that began earlier count from now on",
	 MEMBER(FLAG, from_now)},
	USAGE_ENTRY_CONFIDENCE(MEMBER(CONFIDENCE, confidence)),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage serve_options_usage = {
	.command = "scprof serve",
	.summary = "this host's profiles as web pages, metrics and pprof",
	.synopsis = {"[OPTION...] [DIR...]"},
	.text = "Follow the profiles of all profiled processes of this host and offer them by "
		"HTTP. The page / shows what runs, with means and intervals, reports and flame "
		"graphs. /metrics is for Prometheus, in OpenMetrics or the text format. "
		"/debug/pprof/profile is for Parca and Pyroscope (?seconds=N: the next N seconds). "
		"/healthz says whether it works. Only profiles "
		"of the same user are read; root reads everybody's. SIGTERM ends it.",
	.words = "DIR",
	.operands = usage_operands,
	.options = usage_options,
	.exit_status = "0 ended by a signal; 1 cannot listen, or out of memory; 2 wrong usage",
	USAGE_ENDS(2, 1),
};

#define COMMAND "scprof serve"

static int take(void *to, int code, const char *value)
{
	struct serve_options *o = to;
	struct profile_error err;

	if (code == OPT_TOKEN)
		o->agent.attach_token = o->token;
	if ((code == OPT_LISTEN && http_address_parse(&o->address, value, &err)) ||
	    (code == OPT_TOKEN && http_peer_read_token(value, o->token, &err)))
		return complaint_say(COMMAND, "%s", err.text);
	if (code == OPT_ATTACH && value && !*value)
		return complaint_say(COMMAND, "--allow-attach= needs the path of a socket");
	o->agent.allow_attach |= code == OPT_ATTACH;
	return 0;
}

/* At the start: with a mistyped one the server would wait forever. */
static int check_directory(const char *path)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		return complaint_say(
			COMMAND,
			"'%.300s' is not a directory; name directories that hold profiles "
			"(`scprof report` prints a single one)",
			path);
	if (access(path, R_OK | X_OK))
		return complaint_say(COMMAND,
				     "cannot look into '%.300s': %s; name directories that hold "
				     "profiles",
				     path, strerror(errno));
	return 0;
}

static void take_standard(struct serve_options *o)
{
	const char *out = options_variable("SCPROF_OUT");

	o->standard[0] = "/dev/shm";
	o->standard[1] = out ? out : getcwd(o->working, sizeof(o->working));
	o->agent.directory = o->standard;
	o->agent.directories = o->standard[1] && strcmp(o->standard[1], "/dev/shm") ? 2 : 1;
}

/* Pointers are into argv, the environment and *o. */
static int parse(struct serve_options *o, int argc, char **argv)
{
	*o = (struct serve_options){.agent = {.most_services = SERVICES_DEFAULT,
					      .most_functions = FUNCTIONS_DEFAULT,
					      .most_files = FILES_DEFAULT,
					      .most_bytes = MOST_FILE_BYTES,
					      .confidence = 0.95}};
	if (take(o, OPT_LISTEN, LISTEN_DEFAULT))
		return serve_options_usage.failure;
	int status = options_parse(&serve_options_usage, argc, argv, take, o);
	if (status != OPTIONS_GO)
		return status;
	if (o->agent.attach_token && !o->agent.allow_attach)
		return options_refuse(
			&serve_options_usage,
			"--attach-token is of use with --allow-attach only; add that");
	if (optind == argc) {
		take_standard(o);
		return OPTIONS_GO;
	}
	for (int i = optind; i < argc; i++)
		if (check_directory(argv[i]))
			return serve_options_usage.bad_usage;
	o->agent.directory = (const char *const *)argv + optind;
	o->agent.directories = (size_t)(argc - optind);
	return OPTIONS_GO;
}

static struct agent *ending; /* by a signal */

/* It is heard in the middle of a scan, too. */
static void end_agent(int signal)
{
	(void)signal;
	agent_stop(ending);
}

static void take_signals(struct agent *agent)
{
	const struct sigaction end = {.sa_handler = end_agent, .sa_flags = SA_RESTART};

	ending = agent;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL); /* else nobody could learn how a child ended */
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
}

static int announce(const struct http_address *address, const struct http *http)
{
	const char *socket = http_local(http);

	if (!address->loopback)
		fprintf(stderr,
			"scprof serve: %s is not a loopback address: everybody who reaches it sees "
			"these profiles\n",
			address->text);
	if (printf("scprof serve: http://%s/\n", address->text) < 0 ||
	    (*socket && printf("scprof serve: POST /attach by %s\n", socket) < 0) ||
	    fflush(stdout)) {
		output_lost("scprof serve");
		return -1;
	}
	return 0;
}

static int scan_and_serve(struct agent *agent, struct http_address *address)
{
	struct profile_error err;

	agent_scan(agent);
	struct http *http = http_start(agent, address, &err);
	if (!http) {
		complaint_lines("scprof serve", err.text);
		return 1;
	}
	int status = announce(address, http) ? serve_options_usage.failure : 0;
	while (!status && agent_wait(agent, 1000000000)) {
		agent_scan(agent);
		http_tend(http);
	}
	agent_stop(agent);
	http_stop(http);
	return status;
}

static int serve(struct serve_options *o)
{
	struct agent agent;

	run_files_raise_limit(); /* each page in preparation needs as many again */
	mallopt(M_ARENA_MAX, 1); /* what a connection's thread leaves is of use to the next one */
	unsetenv("DEBUGINFOD_URLS"); /* no page waits for a remote server */
	o->agent.meet_samples = sampled_meet;
	if (agent_open(&agent, &o->agent))
		return options_fail(&serve_options_usage, "out of memory");
	take_signals(&agent);
	int status = scan_and_serve(&agent, &o->address);
	agent_close(&agent);
	return status;
}

int cmd_serve(int argc, char **argv)
{
	struct serve_options o;
	int status = parse(&o, argc, argv);

	return status == OPTIONS_GO ? serve(&o) : status;
}

/* Started by `scprof serve` for each page and pprof profile, not by people; see
 * report/serve/render/renderer.h. */
int cmd_serve_render(int argc, char **argv)
{
	(void)argv;
	if (argc != 1 || isatty(STDIN_FILENO)) {
		complaint_print("scprof serve-render",
				"this is started by `scprof serve`: use that");
		return 2;
	}
	return renderer_main();
}
