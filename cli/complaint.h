// SPDX-License-Identifier: GPL-3.0-or-later
/* What is wrong with a command line, in one line whatever was typed: a newline or an
 * escape sequence in an argument is shown, not obeyed. */
#ifndef SCPROF_CLI_COMPLAINT_H
#define SCPROF_CLI_COMPLAINT_H

#include <stdarg.h>

/* "COMMAND: TEXT" and a newline, on standard error. */
void complaint_print(const char *command, const char *text);
void complaint_format(const char *command, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

void complaint_say(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A text of ours with lines of its own, what to do in the last: each is cleaned, none is lost. */
void complaint_lines(const char *command, const char *text);

/* What getopt_long has just refused, with opterr 0: `option` is what it returned, '?' or
 * ':'. Long options that have no letter must have values from 256 on. */
void complaint_option(const char *command, char **argv, int option);

#endif
