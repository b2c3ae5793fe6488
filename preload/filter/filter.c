// SPDX-License-Identifier: Apache-2.0
/* The filters' settings, and what the profile says about them. */
#include "preload/filter/filter.h"
#include "preload/system/glob.h"
#include "preload/process/settings.h"

struct filter filter = {
	.depth = SCP_MAX_FRAMES, .full_flag = SCP_PATH_TRUNCATED, .python = true, .names = 1};

void filter_note(const char *key, const char *value)
{
	size_t at = filter.text_bytes, room = sizeof filter.text;
	if (!value || !*value || at + 16 > room)
		return;
	at = text_append(filter.text, room, at, key);
	at = text_append(filter.text, room, at, value);
	filter.text_bytes = (uint32_t)at + 1;
}

void filter_note_ignored(const char *variable)
{
	filter_note(SCP_FILTER_IGNORED, variable);
}

static void read_depth(void)
{
	const char *text = settings_variable("SCPROF_DEPTH");
	if (!text)
		return;
	while (text[0] == '0' && text[1])
		text++;
	uint64_t depth;
	long digits = text_number(text, 0, TEXT_DIGITS, &depth);
	if (text[digits] || !depth || depth > SCP_MAX_FRAMES) {
		filter_note_ignored("SCPROF_DEPTH");
		return;
	}
	filter.depth = (uint32_t)depth;
	filter.full_flag = SCP_PATH_LIMITED;
	filter_note("depth=", text);
}

static void read_python(void)
{
	const char *python = settings_variable("SCPROF_PYTHON");
	const char *native = settings_variable("SCPROF_NATIVE");
	filter.python = !python || !text_equal(python, "off");
	filter.native = filter.python && native && text_equal(native, "1");
	if (!filter.python)
		filter_note("python=", "off");
	if (filter.native)
		filter_note("native=", "1");
}

void filter_read(void)
{
	const char *threads = settings_variable("SCPROF_THREADS");
	const char *below = settings_variable("SCPROF_BELOW");
	if (threads) { /* programs that show a title write over their environment */
		filter.threads = filter.text + filter.text_bytes + sizeof "thread=" - 1;
		filter_note("thread=", threads);
	}
	read_depth();
	read_python();
	/* A part of the patterns would choose other calls, and the report opens no file. */
	if (below && text_length(below) + filter.text_bytes + 8 < sizeof filter.text &&
	    !below[text_part(below, '@')])
		filter_note("below=", below);
	else if (below)
		filter_note_ignored("SCPROF_BELOW");
}

void filter_forget(void)
{
	filter.threads = NULL;
	filter.native = false;
	filter.python = true;
	filter.depth = SCP_MAX_FRAMES;
	filter.full_flag = SCP_PATH_TRUNCATED;
	filter.text_bytes = 0;
	__atomic_add_fetch(&filter.names, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < sizeof filter.text; i++)
		filter.text[i] = 0;
}

bool filter_wants_thread(const char *name)
{
	return !filter.threads || glob_list_matches(filter.threads, name);
}
