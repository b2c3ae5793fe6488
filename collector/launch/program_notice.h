// SPDX-License-Identifier: GPL-3.0-or-later
/* The words for program_examine's verdicts: what the program is, why scprof
 * cannot (fully) see it, what can be done. */
#ifndef SCPROF_COLLECTOR_LAUNCH_PROGRAM_NOTICE_H
#define SCPROF_COLLECTOR_LAUNCH_PROGRAM_NOTICE_H

#include "collector/launch/elf_facts.h"
#include "collector/launch/program.h"

/* Fill p->notice for a command that was not found or may not be executed. */
void program_notice_missing(const char *command, struct program *p, int error);

/* Fill p->notice for p->kind; `runner` is the file that decided, p->path
 * itself or the interpreter of the script p->path. */
void program_notice_found(struct program *p, const char *runner, const struct elf_facts *facts);

#endif
