// SPDX-License-Identifier: GPL-3.0-or-later
/* Messages of `scprof run` on standard error, marked to distinguish them from the command's. */
#ifndef SCPROF_CLI_MESSAGES_SAY_H
#define SCPROF_CLI_MESSAGES_SAY_H

/* "scprof: TEXT"; later lines are indented under the first. */
void say(const char *text);
void say_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
