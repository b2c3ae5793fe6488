// SPDX-License-Identifier: GPL-3.0-or-later
/* Reads a command line by the command's table, with getopt_long. What is wrong is said in one line
 * on standard error. */
#pragma once

#include <getopt.h> /* optind */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/messages/complaint.h"

/* What a command takes and how it describes itself: one table per command. getopt's tables, --help,
 * completion, man pages, "did you mean" and what a configuration file may set are all read from it.
 * All of it is constant, and so are the texts. In a text, a newline begins a new line; a line that
 * begins with a space is printed as it is. All else is wrapped where it is printed. A word in
 * capitals as an option's argument says of which kind its value is (PATH, CLOCK, T); choices stand
 * there themselves: text|json. */

/* Properties of an option. */
enum {
	USAGE_TYPED_ONLY = 1,  /* not from a configuration file: a default would write over files,
				* or change the question */
	USAGE_EXCLUSIVE = 2,   /* one of those of the command that replace one another */
	USAGE_OTHER_VALUES = 4 /* the choices are not all: the command checks the value */
};

/* Codes of options: an option with a letter has the letter as its code. */
enum {
	USAGE_OPERAND = 1, /* not an option: an operand, where the mode is "-" */
	USAGE_JSON = 256,
	USAGE_FORMAT, /* this and the following: of a report, see report_options.h */
	USAGE_SORT,
	USAGE_OWN /* the first that a command may use as it likes */
};

/* Where an option leaves its value in a struct of the command. */
struct options_member {
	enum {
		OPTIONS_TAKEN,	/* nowhere: the command takes it */
		OPTIONS_FLAG,	/* bool */
		OPTIONS_TEXT,	/* const char * */
		OPTIONS_CHOICE, /* an enum: which of "a|b|c" it is */
		OPTIONS_COUNT,	/* uint64_t */
		OPTIONS_COUNT32,
		OPTIONS_CONFIDENCE, /* double */
		OPTIONS_SHARE,	    /* double, between bounds in millionths */
		OPTIONS_DURATION,   /* uint64_t, in ns */
		OPTIONS_SECONDS	    /* double */
	} type;
	size_t at;
	uint64_t least, most; /* of counts, and of durations in ns */
	const char *constant; /* the value of one that was given none */
	bool of_report;	      /* in the struct report_choice, see `report_at` */
};
#define OPTIONS_MEMBER(kind, of, member, ...)                                                      \
	.sets = {.type = OPTIONS_##kind, .at = offsetof(struct of, member), ##__VA_ARGS__}

/* An option; of an operand and of a variable only name and text. */
struct usage_entry {
	const char *name;     /* of an option without "--"; NULL: the end of the table */
	int code;	      /* 0: only its member is set */
	const char *argument; /* NULL: takes none; "[=N]": may be left out, and needs its "=" */
	const char *text;
	unsigned flags;
	const char *variable; /* of the environment, that stands for the option; NULL: none */
	struct options_member sets;
};

/* Options that several commands have. */
#define USAGE_ENTRY_HELP                                                                           \
	{                                                                                          \
		"help", 'h', NULL, "this text", .flags = USAGE_TYPED_ONLY                          \
	}
#define USAGE_ENTRY_OUTPUT(argument, text, ...)                                                    \
	{                                                                                          \
		"output", 'o', argument, text, .flags = USAGE_TYPED_ONLY, ##__VA_ARGS__            \
	}
#define USAGE_ENTRY_JSON(schema, ...)                                                              \
	{                                                                                          \
		"json", USAGE_JSON, NULL, .text = "one object, schema " schema, ##__VA_ARGS__      \
	}
#define USAGE_ENTRY_CONFIDENCE(...)                                                                \
	{                                                                                          \
		"confidence", 0, "R", .text = "of the intervals, 0.95 or 95% (default: 0.95)",     \
				      ##__VA_ARGS__                                                \
	}

struct usage {
	const char *command; /* "scprof run"; "scprof": the tool itself */
	const char *summary; /* one line */
	const char
		*synopsis[5]; /* what follows the command's name, each way to use it; NULL ends */
	const char *text;     /* what the command does */
	const char *words;    /* names of the operands, in order: "PROGRAM PATTERN" */
	const char *mode;     /* getopt's: "+" options end at the first operand, "-" operands are
			       * given out in their place, with USAGE_OPERAND; NULL neither */
	const struct usage_entry *operands, *options, *variables; /* NULL: none */
	size_t report_at; /* of the struct report_choice in what options_parse is handed */
	const char *note; /* after the options; NULL: none */
	const char *variables_text; /* of all variables; NULL: none */
	const char *exit_status;
	int bad_usage, failure; /* exit status of wrong usage; where standard output cannot be
				 * written, which is added to the text of all */
};

#define USAGE_ENDS(usage, failed) .bad_usage = (usage), .failure = (failed)

/* What getopt_long calls the option: its code, or what stands for it. */
int usage_code(const struct usage *u, const struct usage_entry *option);

/* The option of this long name, or with this code; NULL: there is none. */
const struct usage_entry *usage_find(const struct usage *u, const char *name);
const struct usage_entry *usage_find_code(const struct usage *u, int code);

/* Is the option's value the next word, unless it is in the same? */
bool usage_takes_word(const struct usage_entry *option);

/* '\0': the option has none. */
char usage_letter(const struct usage_entry *option);

/* Long names of the options, for nearest_name, without those that have one of these flags. */
size_t usage_names(const struct usage *u, unsigned without, const char **names, size_t most);

/* "-o, --output OUT"; of an operand or a variable its name. Cut off where it is longer. */
void usage_heading(const struct usage_entry *option, char *text, size_t size);

/* The text of --help, in three parts, for whoever puts something between. */
void usage_print_head(const struct usage *u, FILE *out);
void usage_print_entries(const struct usage *u, FILE *out);
void usage_print_tail(const struct usage *u, FILE *out);

/* Words broken to the width of help, each line behind `indent` blanks. */
void usage_print_text(const char *text, size_t indent, FILE *out);

#define USAGE_EXIT_BYTES 512
void usage_exit_status(const struct usage *u, char text[USAGE_EXIT_BYTES]);

void usage_print(const struct usage *u, FILE *out);

#define OPTIONS_GO	  (-1)
#define OPTIONS_ANY_COUNT (UINT32_MAX - 1) /* a bound that means none */

/* Each option goes to its member, then to `take` if it has a code, with its value (NULL: it takes
 * none), which is one of the choices where the table lists them; operands begin at optind then.
 * `take` returns 0, or -1 having said why; it may be NULL. OPTIONS_GO, or the exit status of the
 * command: wrong usage, or --help was asked for and has been printed. */
int options_parse(const struct usage *u, int argc, char **argv,
		  int (*take)(void *to, int code, const char *value), void *to);

/* Says what is wrong with a command line, or what failed. The exit status. */
#define options_refuse(u, ...) (complaint_say((u)->command, __VA_ARGS__), (u)->bad_usage)
#define options_fail(u, ...)   (complaint_say((u)->command, __VA_ARGS__), (u)->failure)

/* Is the option of that code among the words that options_parse takes for options? */
bool options_is_typed(const struct usage *u, int option, int argc, char **argv);

/* The value of an environment variable; NULL where it is unset or empty, which is the same. */
const char *options_variable(const char *name);

/* A whole number in decimal digits, without sign or spaces, from least to most. 0 and
 * *count, or -1: it is none, or out of these bounds. *count is untouched on failure. */
int quantity_count(const char *text, uint64_t least, uint64_t most, uint64_t *count);

/* A positive share: a decimal number, or a percentage with its sign. 0 and *share, or
 * -1: not such a text, or not above 0. *share is untouched on failure. */
int quantity_share(const char *text, double *share);
