// SPDX-License-Identifier: Apache-2.0
/* What python_code.c tells python_code_line.c. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_CODE_LINE_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_CODE_LINE_H

#include "preload/system/util.h"

/* The file that has the lines is gone; no thread adds any now. */
HIDDEN void python_code_line_forget(void);

#endif
