// SPDX-License-Identifier: Apache-2.0
/* What system calls share. */
#include "preload/system/sys.h"

uint32_t sys_sandboxed;
struct sys_made sys_made;
