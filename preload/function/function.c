// SPDX-License-Identifier: Apache-2.0
/* Finding the originals, and describing the wrapped functions in the profile. */
#include <errno.h>

#include "preload/process/file.h"
#include "preload/function/function.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "include/scprof_format.h"
#include "preload/process/libc.h"
#include "preload/unwind/unwind.h"

void *function_real[FN_COUNT];
bool function_is_ordered[FN_COUNT];
void *entry_real_syscall, *entry_real_prctl;

const struct function_info function_info[FN_COUNT] = {
#define SCP_WRAP(ret, name, shown, always, if_socket, ...)                                         \
	[FN_##name] = {#name, #shown, (always) | (if_socket)},
#define SCP_SYSCALL(name, always, ...) [FN_syscall_##name] = {"syscall", #name, always},
#define SCP_HOOK(name)		       [FN_##name] = {#name, #name, 0},
#include "preload/function/wrappers.def"
#undef SCP_WRAP
#undef SCP_SYSCALL
#undef SCP_HOOK
};

/* musl since 1.2.4 has no names that end in 64, and binds those who ask for them to the others. */
static void *find(const char *symbol)
{
	char name[32];
	size_t length = text_append(name, sizeof name, 0, symbol);
	void *found = libc_find(symbol);
	if (found || length < 2 || !text_equal(name + length - 2, "64"))
		return found;
	name[length - 2] = 0;
	return libc_find(name);
}

COLD void *function_resolve(enum function_id id)
{
	if (!function_real[id]) {
		void *found = find(function_info[id].symbol);
		bool ours = found && modules_is_ours((uint64_t)found); /* libc has none */
		function_real[id] = found && !ours ? found : (void *)function_absent;
	}
	return function_real[id];
}

/* For pointers, NULL would be right; only functions that return int can be absent. */
long function_absent(void)
{
	errno = ENOSYS;
	return -1;
}

/* Is the original libc's? Then it is where libc keeps errno (libpthread.so.0 had some of them
 * once: those are taken for other libraries', which costs a few nanoseconds). */
static void note_order(void)
{
	struct unwind_object libc, object;
	bool known = unwind_object_find_object((uint64_t)&__errno_location, &libc);
	for (unsigned i = 0; i < FN_COUNT; i++)
		function_is_ordered[i] =
			!known || !unwind_object_find_object((uint64_t)function_real[i], &object) ||
			object.start != libc.start;
}

void function_resolve_all(void)
{
	for (unsigned i = 0; i < FN_COUNT; i++)
		function_resolve(i);
	note_order();
	entry_real_syscall = function_real[FN_syscall];
	entry_real_prctl = function_real[FN_prctl];
}

uint64_t function_record_bytes(const char *name)
{
	uint64_t length = text_length(name) + 1, bytes = sizeof(struct scp_function);
	bytes += length > sizeof((struct scp_function *)0)->name ? length : 0;
	return (bytes + SCP_RECORD_ALIGN - 1) / SCP_RECORD_ALIGN * SCP_RECORD_ALIGN;
}

void function_fill_record(struct scp_function *f, uint32_t id, uint32_t group, const char *name)
{
	f->id = id;
	f->group = group;
	text_append(f->name, sizeof f->name, 0, name);
	if (f->rec.bytes > sizeof *f)
		text_append(f->long_name, f->rec.bytes - sizeof *f, 0, name);
}

void function_write_records(void)
{
	struct file_chunk chunk = {0};
	uint64_t room = sizeof(struct scp_chunk) + FN_COUNT * sizeof(struct scp_function);
	if (!file_chunk(process.file, &chunk, room, SCP_CHUNK_PROCESS, 0))
		return;
	for (unsigned i = 0; i < FN_COUNT; i++) {
		struct unwind_object object;
		struct scp_function *record = file_next_record(&chunk, sizeof *record);
		if (!function_info[i].group)
			continue;
		record->rec = (struct scp_record){SCP_REC_FUNCTION, sizeof *record};
		function_fill_record(record, i, function_info[i].group, function_info[i].shown);
		if (function_real[i] &&
		    unwind_object_find_object((uint64_t)function_real[i], &object))
			text_append(record->library, sizeof record->library, 0,
				    text_basename(object.name));
		process.function[i] = record;
		file_publish_record(&chunk, sizeof *record);
	}
}
