// SPDX-License-Identifier: Apache-2.0
/* What happens when the loader has loaded this library, and when the program ends by exit: here the
 * order is decided in which recording begins, its own cost is measured, and both end. */
#include <errno.h>

#include "include/scprof_version.h"
#include "preload/attach/session.h"
#include "preload/filter/control.h"
#include "preload/overhead/overhead.h"
#include "preload/process/process.h"
#include "preload/second/second.h"
#include "preload/start/lifecycle.h"
#include "preload/table/header.h"
#include "preload/table/thread.h"

static void begin(void)
{
	lifecycle_constructing = true;
	lifecycle_start();
	session_note_start();
	if (control.wakes)
		wake_page_begin();
	if (!process_groups || lifecycle_dormant)
		return;
	overhead_measure_first();
	second_load();
	if (control_is_recording())
		thread_acquire(); /* so that the main thread's time begins here */
}

/* A program begins with an errno of 0: what libc has not found for us is not its business. */
__attribute__((constructor)) static void constructor(void)
{
	int saved = errno;
	begin();
	errno = saved;
}

__attribute__((destructor)) static void destructor(void)
{
	wake_page_leave();
	if (!process_groups)
		return;
	header_mark_end(SCP_END_EXIT);
	thread_end_gap();
	if (process_discard_if_empty())
		return;
	overhead_measure_last();
}

/* Which version this library is of, readable without loading it: `scprof doctor` looks for the
 * section, since a library and a tool of different builds may disagree about the format. */
__attribute__((used, section("scprof_version"))) static const char version[] = SCPROF_VERSION;
