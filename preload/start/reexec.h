// SPDX-License-Identifier: Apache-2.0
/* SCPROF_SYMBOLS under a bare LD_PRELOAD. The stubs of selected functions must be there before the
 * loader binds the first of them, so the program is executed once more, with a stub object in
 * LD_PRELOAD before us.
 *
 * When: while the loader relocates this library (from the resolver of an IFUNC), before any
 * constructor has run, so that nothing of the program happens twice. How: a child (without a
 * signal at its end) has the tool write the object; only if that succeeded this process
 * executes the same file with the same arguments, and in its new image the object is unlinked
 * and LD_PRELOAD is made what it was. If anything prevents that, the program continues as it is. */
#ifndef SCPROF_PRELOAD_START_REEXEC_H
#define SCPROF_PRELOAD_START_REEXEC_H

#include <stdbool.h>

#include "preload/system/util.h"

#define REEXEC_PROBLEM_BYTES 512u

/* Why SCPROF_SYMBOLS has no stubs; "": not known. */
extern HIDDEN char reexec_problem[REEXEC_PROBLEM_BYTES];

/* The tool was asked, and there is nothing of them in this program, which is no mistake. */
extern HIDDEN bool reexec_needless;

#endif
