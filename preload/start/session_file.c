// SPDX-License-Identifier: Apache-2.0
#include "preload/clock/clock.h"
#include "preload/function/function.h"
#include "preload/function/region_name.h"
#include "preload/function/selected.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/process/settings.h"
#include "preload/python/python.h"
#include "preload/start/lifecycle.h"
#include "preload/system/sys.h"
#include "preload/table/header.h"
#include "preload/table/slowest.h"
#include "preload/table/thread.h"
#include "preload/unwind/unwind.h"

#define FIRST_FILE_BYTES (1u << 20)
#define SMALL_FILE_BYTES (128u << 10) /* where address space is limited */

static void forget_functions(void)
{
	static uint32_t most; /* selected functions of any session */
	most = selected_count() > most ? selected_count() : most;
	for (unsigned i = 0; i < FN_COUNT; i++)
		process.function[i] = NULL;
	for (unsigned i = 0; i < most; i++)
		process.function[SELECTED_FIRST + i] = NULL;
}

/* Returns the groups that are recorded in the file. */
static uint32_t fill_file(void)
{
	uint32_t groups = settings.groups;
	header_fill(process.file->header);
	function_write_records();
	if (!selected_write_records())
		groups &= ~SCP_GROUP_SELECTED;
	process.file->header->groups = groups;
	return groups;
}

static int file_error; /* -errno, of the latest begin_file */

/* Returns the groups that are recorded in the file; 0: there is no file. */
static uint32_t begin_file(struct profile_file *f)
{
	struct profile_file *before = process.file;
	char name[START_NAME_OF_FILE];
	struct file_wish wish = {file_name_first_birth(), settings.directory, name, sys_getpid(),
				 NULL};
	start_name_of_file(name, settings.program);
	process.touched_ns = 0;
	for (; wish.birth < FILE_BIRTHS; wish.birth++) {
		if ((file_error = file_create(f, &wish, FIRST_FILE_BYTES)) != 0 &&
		    (file_error = file_create(f, &wish, SMALL_FILE_BYTES)) != 0)
			continue;
		process.file = f; /* never one without a header */
		uint32_t groups = fill_file();
		if ((file_error = file_name_give_name(f, &wish)) == 0)
			return groups;
		forget_functions();
		process.file = before;
		file_abandon(f);
	}
	return 0;
}

/* A handler that leaves by longjmp would leave a descriptor behind. */
uint32_t session_file_begin(struct profile_file *f)
{
	uint64_t signals;
	sys_hold_signals(&signals);
	uint32_t groups = begin_file(f);
	if (groups)
		usage_begin(process.file->header); /* late: without what beginning takes */
	sys_release_signals(&signals);
	return groups;
}

void session_file_forget_known(void)
{
	modules_reset();
	python_forget();
	unwind_chain_forget();
	region_name_forget_records();
	forget_functions();
	slowest_forget();
	process.chunk = (struct file_chunk){0};
}

/* Files of sessions that are over stay mapped while a thread may be about to write to them. */
#define FILES_KEPT 64u	    /* as many threads would have to be interrupted in as many sessions */
#define SETTLE_NS  2000000u /* after which all processors have seen what a thread marked before */

static LARGE struct profile_file files[FILES_KEPT];
static void *left[FILES_KEPT]; /* of the file before, see file_leave_memory */

/* In a forked child. The file that it began with may be none of these. */
void session_file_forget_all(void)
{
	if (process.file->header)
		file_unmap(process.file, 0);
	for (unsigned i = 0; i < FILES_KEPT; i++)
		if (files[i].header)
			file_unmap(&files[i], 0);
}

/* Of those that are not in use the one that has not been for longest; NULL: all are. */
static struct profile_file *find_file(void)
{
	struct profile_file *found = NULL;
	uint64_t now_ns = clock_mono_ns();
	for (unsigned i = 0; i < FILES_KEPT; i++) {
		struct profile_file *f = &files[i];
		if (f->header && f != process.file && now_ns - f->ended_ns > SETTLE_NS &&
		    !process.touching && !thread_state_writes_to(f)) {
			if (left[i])
				sys_munmap(left[i], FILE_LEFT_BYTES);
			left[i] = file_leave_memory(f);
		}
		if (!f->header && (!found || f->ended_ns < found->ended_ns))
			found = f;
	}
	return found;
}

/* Under the lock of module records, whose holders write to the file that is there. */
static enum scp_attach_problem change_file(void)
{
	struct profile_file *f = find_file();
	file_error = 0;
	if (!f)
		return SCP_ATTACH_NO_MEMORY;
	session_file_forget_known();
	settings.groups = session_file_begin(f);
	return settings.groups ? SCP_ATTACH_FINE : SCP_ATTACH_NO_FILE;
}

enum scp_attach_problem session_file_change(uint32_t *error)
{
	enum scp_attach_problem problem = SCP_ATTACH_NOT_NOW;
	uint64_t signals;
	if (modules_enter(&signals)) {
		problem = change_file();
		modules_leave(&signals);
	}
	*error = (uint32_t)-file_error;
	return problem;
}
