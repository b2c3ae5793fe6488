// SPDX-License-Identifier: GPL-3.0-or-later
/* Demanglers that stop. A mangled name may refer to parts of itself, so that what it stands for is
 * exponentially longer: 97 bytes become a megabyte, 400 more than any memory. Names come from other
 * people's files; such a name stays as it is. */
#ifndef SCPROF_PROFILE_BASE_DEMANGLE_BUDGET_H
#define SCPROF_PROFILE_BASE_DEMANGLE_BUDGET_H

/* No demangled name has more bytes here. */
#define DEMANGLE_LONGEST 16384

/* The demangled name of Rust (both manglings) or Itanium C++, or of D, with libiberty's
 * DMGL_ options. NULL: it is none, it would be too long, or out of memory; free() it.
 * Any thread. */
char *demangle_budget_cplus(const char *name, int options);
char *demangle_budget_d(const char *name, int options);

#endif
