// SPDX-License-Identifier: GPL-3.0-or-later
/* Finds the subcommand, applies the defaults of the configuration files and calls it. */
#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/run/child_run.h"
#include "cli/help/commands.h"
#include "cli/usage/output.h"
#include "include/scprof_version.h"
#include "profile/model/clocks.h"

static const struct command list[] = {
	{"run", &run_options_usage, true, .run = cmd_run, .example = "run ./app"},
	{"attach", &attach_options_usage, true, .run = cmd_attach,
	 .example = "attach --for 10s 1234"},
	{"dump", &cmd_dump_usage, true, .run = cmd_dump, .example = "dump 1234"},
	{"report", &cmd_report_usage, true, .run = cmd_report,
	 .example = "report -o page.html scprof.app.1234.scp"},
	{"diff", &diff_options_usage, true, .run = cmd_diff,
	 .example = "diff before.scp after.scp"},
	{"top", &cmd_top_usage, true, .run = cmd_top, .example = "top 1234"},
	{"serve", &serve_options_usage, true, .run = cmd_serve, .example = "serve"},
	{"causal", &causal_options_usage, true, .run = cmd_causal,
	 .example = "causal --progress write ./app"},
	{"doctor", &cmd_doctor_usage, false, .run = cmd_doctor, .example = "doctor ./app"},
	{"explain", &cmd_explain_usage, false, .run = cmd_explain,
	 .example = "explain calls-skipped"},
	{"bench", &bench_options_usage, true, .run = cmd_bench},
	{"clocks", &cmd_clocks_usage, true, .run = cmd_clocks},
	{"displace", &displace_options_usage, true, .run = cmd_displace},
	{"load", &cmd_load_usage, true, .run = cmd_load},
	{"plan", &plan_options_usage, true, .run = cmd_plan},
	{"symbols", &cmd_symbols_usage, true, .run = cmd_symbols},
	{"merge", &cmd_merge_usage, true, .run = cmd_merge},
	{"detach", &cmd_detach_usage, false, .run = cmd_detach},
	{"config", &cmd_config_usage, false, .run_on = cmd_config},
	/* asked for by `run --live`, by `top`, by `serve`, by shells and by the build */
	{"watch-run", NULL, false, .run = cmd_watch_run},
	{"attach-watched", NULL, false, .run = cmd_attach_watched},
	{"serve-render", NULL, false, .run = cmd_serve_render},
	{"complete", NULL, false, .run_on = cmd_complete},
	{"describe", NULL, false, .run_on = cmd_describe},
};

static const struct usage_entry usage_options[] = {
	{"help", 'h', NULL, .text = "this text; after a command, what that takes"},
	{"version", 'V', NULL, .text = "which scprof this is"},
	{0}};

static const struct usage_entry usage_variables[] = {
	{.name = "SCPROF_OUT", .text = "directory for profiles (default: the working directory)"},
	{.name = "SCPROF_CLOCK",
	 .text = "tsc, coarse, monotonic, page, thread-cpu or dual, as run -c"},
	{.name = "SCPROF_TICK", .text = "interval of the page clock, 20us to 100ms, as run -d"},
	{.name = "SCPROF_GROUPS",
	 .text = "socket, io, wait, resolve, region, functions, all, as run -g"},
	{.name = "SCPROF_SYMBOLS", .text = "functions of libraries, as run -s"},
	{.name = "SCPROF_STATES", .text = "as run --states"},
	{.name = "SCPROF_VERIFY_PATHS", .text = "N: as run --verify-paths=N"},
	{.name = "SCPROF_DETECTOR",
	 .text = "how switches are seen: rseq, perf or sampled (default: the best that works)"},
	{.name = "SCPROF_SLOWEST",
	 .text = "as run --slowest; SCPROF_SLOWER_THAN, SCPROF_SLOWEST_OF likewise"},
	{.name = "SCPROF_BELOW",
	 .text = "as run --below; SCPROF_THREADS, SCPROF_DEPTH, SCPROF_AFTER, SCPROF_FOR, "
		 "SCPROF_SIGNAL, SCPROF_STOPPED likewise"},
	{.name = "SCPROF_NATIVE",
	 .text = "1: as run --native; SCPROF_PYTHON=off: as run --no-python"},
	{.name = "SCPROF_DISABLE", .text = "1: record nothing"},
	{.name = "SCPROF_LIB", .text = "path of libscprof.so (default: found beside scprof)"},
	{.name = "SCPROF_DEBUG_PATH",
	 .text = "DIR[:DIR...]: more places for files with debug information"},
	{.name = "SCPROF_CONFIG",
	 .text = "path of the one configuration file to read; /dev/null: none"},
	{.name = "DEBUGINFOD_URLS", .text = "servers for debug information"},
	{0}};

static const struct usage tool_usage = {
	.command = "scprof",
	.summary = "what each call site of a program costs, with error bars",
	.synopsis = {"COMMAND [OPTION...]", "help [COMMAND]"},
	.text = "What each call site of a running program really costs, with error bars.",
	.options = usage_options,
	.variables = usage_variables,
	.note = "Without the tool: LD_PRELOAD=libscprof.so ./app writes scprof.NAME.PID.scp.",
	.variables_text = "options beat it, and what is unset or empty is as if not there",
	.exit_status = "0 done, 1 failure, 2 wrong usage; scprof run: the command's own (128+N "
		       "after signal N), 125 scprof failed, 126 cannot be executed, 127 not found",
	USAGE_ENDS(2, 1),
};

static const struct commands command_table = {list, sizeof(list) / sizeof(*list), &tool_usage};

/* If a standard descriptor is closed, a file that we open would get its number, and our messages
 * would go into that file. Close-on-exec: the command still finds it closed. What is written to
 * standard output fails, as it did. */
static void fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
		    open("/dev/null", (fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) | O_CLOEXEC) < 0)
			return;
}

static int unknown(const char *name)
{
	const char *names[64], *near;
	size_t count = 0;

	for (size_t i = 0; i < command_table.count && count < 64; i++)
		if (command_table.command[i].usage)
			names[count++] = command_table.command[i].name;
	near = nearest_name(name, names, count);
	complaint_say("scprof", "unknown command '%.200s'%s%s%s; scprof --help lists them", name,
		      near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
	return 2;
}

/* First what a user needs in the first week. */
static int list_commands(FILE *out)
{
	bool laboratory = false;

	usage_print_head(command_table.usage, out);
	for (const struct command *c = list; c < list + command_table.count; c++) {
		if (!c->usage)
			continue;
		if (!c->example && !laboratory)
			fputs("\nlaboratory:\n", out);
		laboratory |= !c->example;
		fprintf(out, "  %-8s  %s\n", c->name, c->usage->summary);
		if (c->example)
			fprintf(out, "%12sscprof %s\n", "", c->example);
	}
	return ferror(out) ? -1 : 0;
}

/* They stand before the options of the tool itself. */
static void print_commands(void)
{
	list_commands(stdout);
	putchar('\n');
	usage_print_entries(command_table.usage, stdout);
	usage_print_tail(command_table.usage, stdout);
}

/* `scprof help COMMAND` is `scprof COMMAND --help`. */
static int help(const char *name)
{
	const struct command *c = name ? commands_find_shown(&command_table, name) : NULL;

	if (name && !c)
		return unknown(name);
	if (c)
		usage_print(c->usage, stdout);
	else
		print_commands();
	return output_finish("scprof") ? command_table.usage->failure : 0;
}

static int version(void)
{
	puts("scprof " SCPROF_VERSION);
	return output_finish("scprof") ? command_table.usage->failure : 0;
}

static int run(const struct command *c, int argc, char **argv)
{
	int status = c->run ? c->run(argc, argv) : c->run_on(&command_table, argc, argv);

	if (!c->usage)
		return status;
	/* another failure, or the command's own, says more */
	return output_finish(c->usage->command) &&
			       (!status || (status == 1 && c->usage->failure == 2))
		       ? c->usage->failure
		       : status;
}

/* --help works even if a file has an error. */
static int run_with_defaults(const struct command *c, int argc, char **argv)
{
	static struct config config; /* paths: too large for the stack */
	static char **words;	     /* of the file and of the command line, until the end */
	bool wants_help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));

	if (wants_help || !c->takes_defaults)
		return run(c, argc, argv);
	if (config_read(&config, &command_table, "scprof") ||
	    (!config.errors && !(words = config_apply(&config, c, &argc, argv)))) {
		complaint_print("scprof", "out of memory");
		return c->usage->bad_usage;
	}
	return config.errors ? c->usage->bad_usage : run(c, argc, words);
}

int main(int argc, char **argv)
{
	fill_standard_descriptors();
	/* Who is the first process of a container waits for those that others leave behind: scprof
	 * does that for itself, from its parent. */
	if (getpid() == 1 && !access("/proc/self/exe", X_OK)) {
		child_run_take_signals();
		int status = child_run(argv, NULL, NULL);
		if (status >= 0)
			return status;
	}
	rate_begin();
	/* Large tables of a large profile are made and dropped one after the other: freed memory
	 * goes back, where glibc would keep up to 32 MB of each. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	if (argc < 2)
		return list_commands(stderr) ? 1 : 2;
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(argv[2]);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "-v"))
		return version();
	const struct command *command = commands_find(&command_table, argv[1]);
	if (command && command->usage && access("/proc/self/fd", X_OK))
		complaint_print(
			"scprof",
			"/proc is not mounted here, and little works without it: mount -t proc "
			"proc /proc");
	return command ? run_with_defaults(command, argc - 1, argv + 1) : unknown(argv[1]);
}
