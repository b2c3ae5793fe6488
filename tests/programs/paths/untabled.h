// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef SCPROF_TESTS_PROGRAMS_PATHS_UNTABLED_H
#define SCPROF_TESTS_PROGRAMS_PATHS_UNTABLED_H

long untabled_inner(void);
long untabled_outer(long (*inner)(void));

#endif
