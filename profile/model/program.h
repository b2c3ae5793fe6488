// SPDX-License-Identifier: GPL-3.0-or-later
/* What a program was started as; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_PROGRAM_H
#define SCPROF_PROFILE_MODEL_PROGRAM_H

#include <stdint.h>

/* A name without directories, to be freed: `stored` (scp_header.program), or in older profiles,
 * where that is "", the last part of `exe` without the " (deleted)" of the kernel. "" where
 * neither is known. NULL: out of memory. */
char *program_name(const char *stored, const char *exe);

/* A command line as NUL-separated bytes, perhaps cut inside the last string, as at most *argc
 * strings and a NULL: one block, to be freed by one free(). *argc becomes how many there are.
 * NULL: out of memory. */
char **program_arguments(const char *bytes, uint32_t count, uint32_t *argc);

#endif
