// SPDX-License-Identifier: GPL-3.0-or-later
/* What a program was started as; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_PROGRAM_NAME_H
#define SCPROF_PROFILE_MODEL_PROGRAM_NAME_H

/* A name without directories, to be freed: `stored` (scp_header.program), or in files of before,
 * where that is "", the last part of `exe` without the " (deleted)" of the kernel. "" where
 * neither is known. NULL: out of memory. */
char *program_name_of(const char *stored, const char *exe);

#endif
