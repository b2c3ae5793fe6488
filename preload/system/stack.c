// SPDX-License-Identifier: Apache-2.0
/* The kernel knows best: it is asked. */
#include <signal.h>
#include <stdint.h>

#include "preload/system/sandbox.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"

uint32_t sandbox_active;

COLD size_t stack_room(void)
{
	stack_t s;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (sandbox_active || sys2(SYS_sigaltstack, 0, &s) != 0 || !(s.ss_flags & SS_ONSTACK))
		return SIZE_MAX;
	return here >= (uintptr_t)s.ss_sp ? here - (uintptr_t)s.ss_sp : 0;
}
