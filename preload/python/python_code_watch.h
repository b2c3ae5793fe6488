// SPDX-License-Identifier: Apache-2.0
/* What python_code_watch.c tells python_code.c. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_CODE_WATCH_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_CODE_WATCH_H

#include <stdint.h>

#include "preload/system/util.h"

/* The code object at this address dies now: any thread, no lock. */
HIDDEN void python_code_die(uint64_t address);

/* Are deaths seen from now on? If not, no code is known any more. */
HIDDEN void python_code_allow(bool seen);

#endif
