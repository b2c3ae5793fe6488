// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof config`: which defaults are in force, and where each comes from. Its output is a
 * configuration file again. */
#include "cli/cmd.h"

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complaint.h"
#include "cli/help/config.h"
#include "report/render/json/json_parts.h"
#include "report/wording/utf8.h"

const char config_usage[] =
	"usage: scprof config [--json] [COMMAND-NAME]\n"
	"Which defaults of options the configuration files set, and where: /etc/scprof.conf, then\n"
	"$XDG_CONFIG_HOME/scprof/config (~/.config/scprof/config). In them, [report] begins what "
	"is\n"
	"for scprof report, and confidence = 0.99 is its --confidence. The command line beats the\n"
	"environment, that beats the user's file, and that the system's.\n"
	"\n"
	"  --json         one object, schema scprof-config/1\n"
	"  -h, --help     this text\n"
	"\n"
	"environment:\n"
	"  SCPROF_CONFIG  absolute path of the one file to read instead; /dev/null: none\n"
	"exit status: 0 done, 2 wrong usage, or an error in a file\n";

enum { OPT_JSON = 256 };

static void complain(const char *text)
{
	complaint_print("scprof config", text);
}

/* The environment beats the file; said, since one would look long for it. */
static const char *beaten_by(const struct config_entry *e)
{
	const char *variable = config_variable(e->command, e->option);
	const char *set = variable ? getenv(variable) : NULL;

	return set && *set ? variable : NULL;
}

static void print_section(const struct config *c, const struct command *command)
{
	bool first = true;

	for (size_t i = 0; i < c->count; i++) {
		const struct config_entry *e = &c->entry[i];
		char *value = e->command == command ? utf8_clean(e->value, true) : NULL;

		if (!value)
			continue;
		if (first)
			printf("[%s]\n", command->name);
		first = false;
		printf("%s = %s  # %s:%u%s%s\n", e->option, value, e->file, e->line,
		       beaten_by(e) ? ", beaten by the environment's " : "",
		       beaten_by(e) ? beaten_by(e) : "");
		free(value);
	}
}

static void print_text(const struct config *c, const struct command *only)
{
	for (size_t i = 0; i < c->files; i++)
		printf("# %s: %s\n", c->file[i].path, c->file[i].there ? "read" : "not there");
	for (size_t i = 0; i < commands_count; i++)
		if (!only || only == &commands[i])
			print_section(c, &commands[i]);
}

static json_t *clean_text(const char *text)
{
	char *clean = utf8_clean(text, true);
	json_t *value = clean ? json_string(clean) : json_null();

	free(clean);
	return value;
}

static int print_json(const struct config *c, const struct command *only)
{
	json_t *root = json_object(), *files = json_array(), *entries = json_array();

	for (size_t i = 0; i < c->files; i++)
		json_array_append_new(files,
				      json_pack("{s:o, s:b}", "path", clean_text(c->file[i].path),
						"there", c->file[i].there));
	for (size_t i = 0; i < c->count; i++) {
		const struct config_entry *e = &c->entry[i];

		if (only && e->command != only)
			continue;
		json_array_append_new(entries,
				      json_pack("{s:s, s:s, s:o, s:o, s:i, s:s?}", "command",
						e->command->name, "option", e->option, "value",
						clean_text(e->value), "file", clean_text(e->file),
						"line", (int)e->line, "beaten_by", beaten_by(e)));
	}
	json_object_set_new(root, "schema", json_string("scprof-config/1"));
	json_object_set_new(root, "files", files);
	json_object_set_new(root, "entries", entries);
	return json_parts_print(root, stdout);
}

static int show(const struct command *only, bool json)
{
	struct config c;
	int failed = config_read(&c, complain);

	if (failed)
		complain("out of memory");
	else if (json)
		failed = print_json(&c, only);
	else
		print_text(&c, only);
	if (fflush(stdout) || ferror(stdout)) {
		perror("scprof config: cannot write to standard output");
		failed = -1;
	}
	failed = failed || c.errors;
	config_free(&c);
	return failed ? 2 : 0;
}

int cmd_config(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, OPT_JSON}, {"help", no_argument, NULL, 'h'}, {0}};
	const struct command *only = NULL;
	bool json = false;
	int option;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h')
			return fputs(config_usage, stdout) == EOF || fflush(stdout) ? 2 : 0;
		if (option != OPT_JSON) {
			complaint_option("scprof config", argv, option);
			return 2;
		}
		json = true;
	}
	if (optind < argc)
		only = commands_find(argv[optind]);
	if (argc - optind > 1 || (optind < argc && (!only || !only->usage))) {
		complain("of one command of scprof, or none; scprof --help lists them");
		return 2;
	}
	return show(only, json);
}
