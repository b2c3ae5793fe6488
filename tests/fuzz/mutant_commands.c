// SPDX-License-Identifier: GPL-3.0-or-later
/* See mutant_commands.h. What goes through one of them is what a user would type. */
#include "tests/fuzz/mutant_commands.h"

#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "profile/profile.h"

#define WORDS 24

/* @: the mutant, =: the profile that it was made of, +: an output file. */
static const char *const others[] = {
	"report --format text --top 3 --frames 50 --include-warm-up @",
	"report --format json --confidence 0.999999 -o + @",
	"report --format folded --weight calls @",
	"report --format folded --weight bytes @",
	"report --format folded --weight uncharged @",
	"report --format folded --weight computing @",
	"report --format csv --weight computing --by gap @ =",
	"report --format json -o + @ =",
	"report --full @",
	"report --full --by thread --sort calls @",
	"report --fold @",
	"report --fold --format json -o + @ =",
	"report --fold --format csv -o + @",
	"report --together @ =",
	"report --together --format json -o + = @",
	"report --program * --full = @",
	"report --format svg -o + @",
	"report --format svg --weight bytes -o + @ =",
	"report --format html --by gap = @",
	"merge -o + @",
	"merge -o + = @ @",
	"diff = @",
	"diff @ =",
	"diff --format json -o + --strict-sites = @",
	"diff --format json -o + --by function @ @",
	"diff --per recv @ =",
	"diff --per read@error --format json -o + = @",
	"diff --sites all --full = @",
	"diff --by site --threshold 0 @ = = -- = @ @",
	"diff --format json -o + = @ = -- @ = @",
	"plan @",
	"plan --json --by function @",
	"plan --relative 0.1% --confidence 0.999 @ =",
	"top -b -n 1 -d 100ms --width 100 @",
	"top -b -n 1 -d 100ms --width 40 --by site --paths --rows 0 -s precision @",
	"top -b -n 1 -d 100ms --width 200 --by function --filter e -s name @",
};
#define OTHERS (sizeof(others) / sizeof(*others))

static const char *const formats[] = {"text",	"json",	     "csv",  "html",
				      "folded", "callgrind", "pprof"};
static const char *const groupings[] = {"path", "site", "function", "gap", "thread", "process"};
#define FORMATS	      7
#define STACK_FORMATS 3 /* the last: of call paths, so of the first groupings */
#define GROUPINGS     6
#define OF_STACKS     3
#define REPORTS	      ((FORMATS - STACK_FORMATS) * GROUPINGS + STACK_FORMATS * OF_STACKS)

const size_t mutant_commands = REPORTS + OTHERS;

void mutant_command_name(uint64_t turn, char *line, size_t room)
{
	size_t i = turn % mutant_commands, plain = (FORMATS - STACK_FORMATS) * GROUPINGS, format,
	       by;

	if (i < OTHERS) {
		snprintf(line, room, "%s", others[i]);
		return;
	}
	i -= OTHERS;
	if (i < plain) {
		format = i / GROUPINGS;
		by = i % GROUPINGS;
	} else {
		format = FORMATS - STACK_FORMATS + (i - plain) / OF_STACKS;
		by = (i - plain) % OF_STACKS;
	}
	snprintf(line, room, "report --format %s --by %s -o + @", formats[format], groupings[by]);
}

void mutant_give_up(const char *what)
{
	dprintf(STDERR_FILENO, "mutate: %s\n", what);
	_exit(1);
}

static void check_json(const char *path)
{
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	if (!root) {
		dprintf(STDERR_FILENO, "%s, line %d\n", error.text, error.line);
		mutant_give_up("this is no JSON");
	}
	json_decref(root);
}

/* Of a printf that was given what has no value. Names have letters around theirs. */
static bool has_nan(const char *line)
{
	for (const char *at = line; (at = strstr(at, "nan")); at++)
		if ((at == line || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[3]) && at[3] != '_')
			return true;
	return false;
}

static void check_text(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!f)
		mutant_give_up("no output");
	while (getline(&line, &room, f) >= 0)
		if (has_nan(line)) {
			dprintf(STDERR_FILENO, "%s", line);
			mutant_give_up("a number that is none");
		}
	free(line);
	fclose(f);
}

static void check_output(const char *line, const struct mutant_files *files)
{
	const char *path = strstr(line, "-o +") ? files->out : files->text;

	if (strstr(line, "json"))
		check_json(path);
	else if (strncmp(line, "merge", 5) != 0 && !strstr(line, "html") && !strstr(line, "pprof"))
		check_text(path);
}

static void check_merged(const char *out_path)
{
	struct profile_error error = {""};
	const char *path = out_path;
	struct profile *p = profile_open(&path, 1, &error);

	if (!p) {
		dprintf(STDERR_FILENO, "%s\n", error.text);
		mutant_give_up("a merged profile cannot be read");
	}
	profile_free(p);
}

void mutant_command_run(const char *line, const struct mutant_files *files)
{
	static const struct {
		const char *name;
		int (*run)(int, char **);
	} known[] = {{"report", cmd_report},
		     {"merge", cmd_merge},
		     {"diff", cmd_diff},
		     {"plan", cmd_plan},
		     {"top", cmd_top}};
	char copy[MUTANT_COMMAND], *argv[WORDS + 1], *rest;
	int argc = 0, status = -1;
	struct stat out;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok_r(copy, " ", &rest); word && argc < WORDS;
	     word = strtok_r(NULL, " ", &rest))
		argv[argc++] = !strcmp(word, "@")   ? (char *)files->mutant
			       : !strcmp(word, "=") ? (char *)files->good
			       : !strcmp(word, "+") ? (char *)files->out
						    : word;
	argv[argc] = NULL;
	if (ftruncate(STDOUT_FILENO, 0))
		mutant_give_up("cannot empty the output");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(argv[0], known[i].name))
			status = known[i].run(argc, argv);
	fflush(stdout);
	if (status < 0 || status > 2)
		mutant_give_up("a status that no command has");
	if (status == 0 || (status == 1 && !fstat(STDOUT_FILENO, &out) && out.st_size))
		check_output(line, files);
	if (status == 0 && !strncmp(line, "merge", 5))
		check_merged(files->out);
}
