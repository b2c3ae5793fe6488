// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof config`: which defaults are in force, and where each comes from. Its output is a
 * configuration file again. */
#include "cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/help/commands.h"
#include "report/render/json/json_write.h"
#include "report/wording/utf8.h"

static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_JSON("scprof-config/1", .sets.type = OPTIONS_FLAG), USAGE_ENTRY_HELP, {0}};

static const struct usage_entry usage_variables[] = {
	{.name = "SCPROF_CONFIG",
	 .text = "absolute path of the one file to read instead; /dev/null: none"},
	{0}};

const struct usage cmd_config_usage = {
	.command = "scprof config",
	.summary = "which defaults the configuration files set",
	.synopsis = {"[--json] [COMMAND-NAME]"},
	.text = "Which defaults of options the configuration files set, and where: "
		"/etc/scprof.conf, then $XDG_CONFIG_HOME/scprof/config (~/.config/scprof/config). "
		"In them, [report] begins what is for scprof report, and confidence = 0.99 is its "
		"--confidence. The command line beats the environment, that beats the user's file, "
		"and that the system's.",
	.words = "COMMAND-NAME",
	.options = usage_options,
	.variables = usage_variables,
	.exit_status = "0 done, 2 wrong usage, or an error in a file",
	USAGE_ENDS(2, 1),
};

/* The variable of the environment that overrides the file; NULL: none. */
static const char *beaten_by(const struct config_entry *e)
{
	const char *variable = e->option->variable;

	return variable && options_variable(variable) ? variable : NULL;
}

static void print_section(const struct config *c, const struct command *command)
{
	bool first = true;

	for (const struct config_entry *e = c->entry; e < c->entry + c->count; e++) {
		if (e->command != command)
			continue;
		if (first)
			printf("[%s]\n", command->name);
		first = false;
		printf("%s = ", e->option->name);
		utf8_put_clean(stdout, e->value, true);
		printf("  # %s:%u%s%s\n", e->file, e->line,
		       beaten_by(e) ? ", beaten by the environment's " : "",
		       beaten_by(e) ? beaten_by(e) : "");
	}
}

static void print_text(const struct config *c, const struct commands *all,
		       const struct command *only)
{
	for (size_t i = 0; i < c->files; i++)
		printf("# %s: %s\n", c->file[i].path, c->file[i].there ? "read" : "not there");
	for (size_t i = 0; i < all->count; i++)
		if (!only || only == &all->command[i])
			print_section(c, &all->command[i]);
}

static int print_json(const struct config *c, const struct command *only)
{
	struct json_writer w = {.out = stdout, .indent = true};

	json_write_open(&w, NULL, '{');
	json_write_text(&w, "schema", "scprof-config/1");
	JSON_LIST(&w, "files", e, c->file, c->files, JSON_OBJECT_OF(&w, NULL, e, path, there));
	json_write_open(&w, "entries", '[');
	for (const struct config_entry *e = c->entry; e < c->entry + c->count; e++) {
		if (only && e->command != only)
			continue;
		json_write_open(&w, NULL, '{');
		JSON_PUT(&w, "command", e->command->name, "option", e->option->name);
		JSON_MEMBERS(&w, e, value, file, line);
		json_write_text(&w, "beaten_by", beaten_by(e));
		json_write_close(&w, '}');
	}
	json_write_close(&w, ']');
	return json_write_finish(&w);
}

static int show(const struct commands *all, const struct command *only, bool json)
{
	struct config c;
	int failed = config_read(&c, all, cmd_config_usage.command);

	if (failed)
		complaint_print(cmd_config_usage.command, "out of memory");
	else if (json)
		failed = print_json(&c, only);
	else
		print_text(&c, all, only);
	bool wrong = c.errors;
	config_free(&c);
	return failed ? cmd_config_usage.failure : wrong ? cmd_config_usage.bad_usage : 0;
}

int cmd_config(const struct commands *all, int argc, char **argv)
{
	const struct command *only = NULL;
	bool json = false;
	int status = options_parse(&cmd_config_usage, argc, argv, NULL, &json);

	if (status != OPTIONS_GO)
		return status;
	if (optind < argc)
		only = commands_find_shown(all, argv[optind]);
	if (argc - optind > 1 || (optind < argc && !only))
		return options_refuse(
			&cmd_config_usage,
			"of one command of scprof, or none; scprof --help lists them");
	return show(all, only, json);
}
