// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof explain: the long text about a warning's code, a column or a mark. */
#include "cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/wording/column_words.h"
#include "report/wording/warning_list.h"

#define COMMAND "scprof explain"

static const struct usage_entry usage_options[] = {USAGE_ENTRY_HELP, {0}};

const struct usage cmd_explain_usage = {
	.command = COMMAND,
	.summary = "say what a warning, a column or a mark means",
	.synopsis = {"[CODE...]"},
	.text = "Say what a warning of a report or a comparison means for the numbers, where it "
		"comes from, and what to do. Columns and marks are codes, too: explain share, "
		"explain '~'. Without a CODE: list them all.",
	.words = "CODE",
	.options = usage_options,
	.exit_status = "0 done, 2 wrong usage",
	USAGE_ENDS(2, 1),
};

static void list(void)
{
	for (size_t i = 0; i < warning_codes_count; i++)
		printf("%-28s %s\n", warning_codes[i].code, warning_codes[i].title);
	for (size_t i = 0; i < column_words_count; i++)
		printf("%-28s %s\n", column_words[i].names, column_words[i].means);
}

static void explain(const char *code)
{
	const struct warning_code *w = warning_codes_find(code);
	const struct column_word *column = column_words_find(code);

	if (column)
		printf("%s: %s\n", column->names, column->means);
	if (!w)
		return;
	printf("%s: %s\n", w->code, w->title);
	if (*w->means)
		usage_print_text(w->means, 2, stdout);
	if (*w->act)
		usage_print_text(w->act, 2, stdout);
}

static int complain(const char *code)
{
	const char **names = calloc(warning_codes_count, sizeof(*names)), *near = NULL;

	for (size_t i = 0; names && i < warning_codes_count; i++)
		names[i] = warning_codes[i].code;
	if (names)
		near = nearest_name(code, names, warning_codes_count);
	complaint_say(COMMAND,
		      "no warning, column or mark is called '%.200s'%s%s%s; scprof explain lists "
		      "them",
		      code, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
	free(names);
	return cmd_explain_usage.bad_usage;
}

int cmd_explain(int argc, char **argv)
{
	int status = options_parse(&cmd_explain_usage, argc, argv, NULL, NULL);

	if (status != OPTIONS_GO)
		return status;
	for (int i = optind; i < argc; i++)
		if (!warning_codes_find(argv[i]) && !column_words_find(argv[i]))
			return complain(argv[i]);
	if (optind == argc)
		list();
	for (int i = optind; i < argc; i++)
		explain(argv[i]);
	return 0;
}
