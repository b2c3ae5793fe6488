// SPDX-License-Identifier: Apache-2.0
/* What the kernel has to be asked: only it knows on which stack a thread runs. */
#include <signal.h>

#include "preload/system/sys.h"

uint32_t sys_sandboxed;
struct sys_made sys_made;

COLD size_t sys_stack_room(void)
{
	stack_t s;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (sys_sandboxed || sys2(SYS_sigaltstack, 0, &s) != 0 || !(s.ss_flags & SS_ONSTACK))
		return SIZE_MAX;
	return here >= (uintptr_t)s.ss_sp ? here - (uintptr_t)s.ss_sp : 0;
}
