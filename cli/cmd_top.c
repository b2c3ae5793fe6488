// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof top`: watches profiles that are being written. */
#include "cli/cmd.h"
#include "cli/usage/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/launch/launch.h"
#include "profile/base/kernel_file.h"
#include "report/live/view.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

#define COMMAND		"scprof top"
#define INTERVAL_MIN_NS ((uint64_t)(STATE_INTERVAL_MIN * 1e9))
#define INTERVAL_MAX_NS ((uint64_t)(STATE_INTERVAL_MAX * 1e9))

enum { OPTION_FILTER = USAGE_OWN };

static const struct usage_entry usage_operands[] = {
	{.name = "PID", .text = "of the program, or of `scprof run`"},
	{.name = "PROFILE", .text = "that is being written"},
	{.name = "DIR", .text = "with such profiles"},
	{0}};

struct top_options {
	struct live_options live;
	bool batch;
	const char *target;
	const char *attach; /* a process; NULL: none */
	char **options;	    /* of scprof attach */
};

#define MEMBER(kind, member, ...) OPTIONS_MEMBER(kind, top_options, live.member, ##__VA_ARGS__)
static const struct usage_entry usage_options[] = {
	{"interval", 'd', "TIME", .text = "between two pictures: 100ms to 60s (default: 1s)",
	 MEMBER(SECONDS, state.interval_s, .least = INTERVAL_MIN_NS, .most = INTERVAL_MAX_NS)},
	{"sort", 's', "time|calls|bytes|mean|total|precision|name|cpu", .text = "(default: time)",
	 MEMBER(CHOICE, state.sort)},
	{"by", 0, "path|site|function", .text = "what a row is (default: path)",
	 MEMBER(CHOICE, state.by)},
	{"filter", OPTION_FILTER, "TEXT",
	 .text = "only rows whose function or caller has this text in it"},
	{"paths", 0, NULL, .text = "show the call path of every row", MEMBER(FLAG, state.all_open)},
	USAGE_ENTRY_CONFIDENCE(MEMBER(CONFIDENCE, confidence)),
	{"batch", 'b', NULL,
	 .text = "pictures as text on standard output, until the program ends; so, too, where that "
		 "is not a terminal",
	 OPTIONS_MEMBER(FLAG, top_options, batch)},
	{"pictures", 'n', "N", .text = "so many of them, then stop (--batch)",
	 MEMBER(COUNT, pictures, .least = 1, .most = UINT32_MAX)},
	{"rows", 0, "N", .text = "of each picture (--batch; default: 20, 0: all)",
	 MEMBER(COUNT, rows, .most = UINT32_MAX)},
	{"width", 0, "N", .text = "columns (--batch; default: the terminal's, or 100)",
	 MEMBER(COUNT, width, .least = 20, .most = 1000)},
	{"attach", 0, "PID",
	 .text = "record a process that runs for as long as it is watched; options of scprof "
		 "attach may follow --",
	 .flags = USAGE_TYPED_ONLY, OPTIONS_MEMBER(TEXT, top_options, attach)},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage cmd_top_usage = {
	.command = COMMAND,
	.summary = "watch a program while it is profiled",
	.synopsis = {"[OPTION...] PID|PROFILE|DIR",
		     "--attach PID [OPTION...] [-- OPTION of scprof attach...]"},
	.text = "Watch a program while it is profiled: rates of the last interval, means with "
		"their intervals. It reads the profile, and nothing else; the program does not "
		"notice. On the screen: h shows the keys, q quits.",
	.words = "PID|PROFILE|DIR",
	.operands = usage_operands,
	.options = usage_options,
	.exit_status = "0 done, 1 failure, or nothing to watch; 2 wrong usage",
	USAGE_ENDS(2, 1),
};

static int take_filter(const char *text, struct view_state *s)
{
	if (strlen(text) >= sizeof(s->filter))
		return complaint_say(COMMAND, "--filter '%.200s' is longer than 63 characters",
				     text);
	strcpy(s->filter, text);
	return 0;
}

static int take_option(void *to, int code, const char *value)
{
	struct top_options *o = to;

	o->batch |= code == 'n';
	return code == OPTION_FILTER ? take_filter(value, &o->live.state) : 0;
}

static struct top_options by_default(void)
{
	return (struct top_options){
		.live = {.state.interval_s = 1, .confidence = 0.95, .rows = 20, .end = -1}};
}

static int parse(int argc, char **argv, struct top_options *o)
{
	*o = by_default();
	int status = options_parse(&cmd_top_usage, argc, argv, take_option, o);
	if (status != OPTIONS_GO)
		return status;
	if (o->attach) {
		o->options = argv + optind;
		return OPTIONS_GO;
	}
	if (optind + 1 == argc) {
		o->target = argv[optind];
		return OPTIONS_GO;
	}
	return options_refuse(
		&cmd_top_usage, "%s See scprof top --help",
		optind == argc ? "watch what? Name a process by its number, a profile, or a "
				 "directory of profiles."
			       : "one target at a time: a directory may hold many profiles.");
}

static int complain(const struct profile_error *err, int status)
{
	complaint_lines(COMMAND, err->text);
	return status;
}

/* The first process of the run has to begin recording. -1: the run ended without one. */
static int open_run(struct live_reader *f, const struct top_options *o, struct profile_error *err)
{
	struct pollfd over = {.fd = o->live.end, .events = POLLIN};
	struct target t = {.kind = TARGET_RUN};

	snprintf(t.path, sizeof(t.path), "%s", o->target);
	while (live_reader_open(f, &t, o->live.state.by, err))
		if (poll(&over, 1, 20) != 0)
			return -1;
	f->held = true;
	return 0;
}

static int open_target(struct live_reader *f, const struct top_options *o,
		       struct profile_error *err)
{
	struct target target;

	if (o->live.end >= 0)
		return open_run(f, o, err);
	return target_parse(&target, o->target, err) ||
	       live_reader_open(f, &target, o->live.state.by, err);
}

static int watch(const struct top_options *o)
{
	struct profile_error err;
	static struct live_reader feed; /* a path: large */
	int status;

	unsetenv("DEBUGINFOD_URLS"); /* no picture waits for a remote server */
	if (open_target(&feed, o, &err))
		return complain(&err, cmd_top_usage.failure);
	if (o->batch || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		status = live_text_run(&feed, &o->live, stdout, &err);
	else
		status = screen_run(&feed, &o->live, &err);
	if (status && ferror(stdout))
		output_lost("scprof top");
	live_reader_close(&feed);
	return !status ? 0 : ferror(stdout) ? cmd_top_usage.failure : complain(&err, 1);
}

struct top_attach {
	pid_t pid;		  /* of scprof attach; 0: none */
	int end;		  /* readable when it has ended */
	int said;		  /* what it wrote to standard error meanwhile */
	char directory[PATH_MAX]; /* of the profiles */
};

static _Noreturn void become_attach(int end, int said, const char *pid, char **options)
{
	size_t count = 0, n = 3;
	char number[16], **argv;

	while (options[count])
		count++;
	argv = calloc(count + 6, sizeof(*argv));
	if (!argv)
		_exit(FAILED);
	snprintf(number, sizeof(number), "%d", end);
	argv[0] = strdup("scprof");
	argv[1] = strdup("attach-watched");
	argv[2] = number;
	for (size_t i = 0; i < count; i++)
		argv[n++] = options[i];
	argv[n++] = strdup("--");
	argv[n++] = strdup(pid);
	fcntl(end, F_SETFD, 0);
	dup2(said, STDERR_FILENO);
	dup2(said, STDOUT_FILENO);
	setpgid(0, 0); /* Ctrl-C is for the picture */
	execv("/proc/self/exe", argv);
	_exit(FAILED);
}

static void print_said(int said)
{
	char text[4096];
	ssize_t bytes;

	fflush(stdout);
	lseek(said, 0, SEEK_SET);
	while ((bytes = read(said, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)bytes, stderr);
}

/* Reads one line, without its newline. */
static int read_directory(struct top_attach *t)
{
	int fd = fcntl(t->end, F_DUPFD_CLOEXEC, 3);
	FILE *from = fdopen(fd, "r");
	char *end = from && fgets(t->directory, sizeof(t->directory), from)
			    ? strchr(t->directory, '\n')
			    : NULL;

	if (from)
		fclose(from);
	if (end)
		*end = '\0';
	return end ? 0 : -1;
}

/* Ends the recording; prints what it said. Its exit status. */
static int end_attach(struct top_attach *t)
{
	int status = 0;

	if (t->pid > 0) {
		kill(t->pid, SIGTERM);
		TEMP_FAILURE_RETRY(waitpid(t->pid, &status, 0));
	}
	if (t->said >= 0) {
		print_said(t->said);
		close(t->said);
	}
	kernel_file_close(&t->end);
	*t = (struct top_attach){.end = -1, .said = -1};
	return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

/* `scprof attach` in a process of its own: it writes the directory into a pipe, which it holds open
 * as long as it lives. Until recording goes on. 0, or -1: it has said why. */
static int begin_attach(struct top_attach *t, const char *pid, char **options)
{
	int ends[2];

	*t = (struct top_attach){.end = -1, .said = memfd_create("scprof-said", MFD_CLOEXEC)};
	if (t->said < 0 || pipe2(ends, O_CLOEXEC))
		return complaint_say(COMMAND, "cannot start scprof attach: %s", strerror(errno));
	fflush(NULL);
	t->pid = fork();
	if (!t->pid)
		become_attach(ends[1], t->said, pid, options);
	close(ends[1]);
	t->end = ends[0];
	if (t->pid > 0 && !read_directory(t))
		return 0;
	if (t->pid < 0)
		complaint_say(COMMAND, "cannot start scprof attach: %s", strerror(errno));
	end_attach(t);
	return -1;
}

/* The process runs on when the picture ends. */
static int watch_attached(struct top_options *o)
{
	static struct top_attach t;
	struct signal_wait signals;
	int status, left;

	if (begin_attach(&t, o->attach, o->options))
		return cmd_top_usage.failure;
	o->target = t.directory;
	o->live.end = t.end;
	status = watch(o);
	signal_wait_begin(&signals); /* it is left properly, whatever comes */
	left = end_attach(&t);
	signal_wait_end(&signals);
	return status ? status : left ? 1 : 0;
}

int cmd_top(int argc, char **argv)
{
	struct top_options o;
	int status = parse(argc, argv, &o);

	if (status != OPTIONS_GO)
		return status;
	return o.attach ? watch_attached(&o) : watch(&o);
}

/* On a line of its own, where the picture was quit before its run was over. */
static void say_what_goes_on(const struct top_options *o, const char *text)
{
	struct pollfd over = {.fd = o->live.end, .events = POLLIN};
	bool utf8 = terminal_of(stdout, 0).utf8;

	for (int i = 0; i < 2 && !poll(&over, 1, 0); i++) {
		const char *of = i ? o->live.note : text;

		utf8_put_clean(stdout, of ? of : "", utf8);
		fputs(of ? "\n" : "", stdout);
	}
	fflush(stdout);
}

/* `scprof run --live` turns into this: watch-run DESCRIPTOR NOTE DIRECTORY TEXT. The descriptor is
 * readable when the run has ended; TEXT says what goes on after `q`. */
int cmd_watch_run(int argc, char **argv)
{
	struct top_options o = by_default();
	uint64_t end;

	if (argc != 5 || quantity_count(argv[1], 0, INT_MAX, &end))
		return 2;
	o.live.end = (int)end;
	o.live.keep = true;
	o.live.note = *argv[2] ? argv[2] : NULL;
	o.target = argv[3];
	int status = watch(&o);
	if (!status)
		say_what_goes_on(&o, argv[4]);
	return status;
}
