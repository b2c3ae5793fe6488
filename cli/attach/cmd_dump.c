// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof dump`: what each thread of a process does now. */
#include "cli/attach/attach_options.h"
#include "cli/attach/dump_text.h"
#include "cli/cmd.h"
#include "report/render/json/json.h"
#include "report/render/json/json_write.h"
#include "report/wording/utf8.h"

#define COMMAND "scprof dump"

static const struct usage_entry usage_operands[] = {{.name = "PID", .text = "of one process"}, {0}};

static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_JSON("scprof-dump/1", .sets.type = OPTIONS_FLAG), USAGE_ENTRY_HELP, {0}};

const struct usage cmd_dump_usage = {
	.command = COMMAND,
	.summary = "show what each thread of a process does now: of one that hangs",
	.synopsis = {"[--json] PID"},
	.text = "Show each thread of a process: whether it has a CPU, waits for one, or sleeps, "
		"and since when. A thread that sleeps has its system call, the descriptor or the "
		"lock that it waits for, and its call path. Functions of Python (3.8 to 3.15) are "
		"named, and generated code that has a map (/tmp/perf-PID.map, jitdump). Nothing is "
		"loaded into the process. A thread that sleeps is read without being stopped; one "
		"that runs is stopped for a moment. '?' marks frames that were found without "
		"unwind tables.",
	.words = "PID",
	.operands = usage_operands,
	.options = usage_options,
	.exit_status = "0, 1 the process cannot be looked into or has ended, 2 wrong usage",
	USAGE_ENDS(2, 1),
};

static void put_thread(struct json_writer *w, const struct dump_text *x, size_t i)
{
	const struct dump_thread *t = &x->dump->thread[i];

	json_write_open(w, NULL, '{');
	JSON_MEMBERS(w, t, tid, name);
	JSON_PUT(w, "state", dump_text_state(t), "for_s", t->for_s, "syscall",
		 dump_call_name(t->call));
	if (json_write_open_known(w, "fd", t->fd.number >= 0)) {
		JSON_MEMBERS(w, &t->fd, number, kind);
		json_write_text(w, "what", *t->fd.what ? t->fd.what : NULL);
		json_write_close(w, '}');
	}
	json_write_text(w, "doing", x->doing[i]);
	json_write_count_if(w, "waits_for_thread", t->owner,
			    t->owner ? (uint64_t)t->owner->tid : 0);
	json_write_flag(w, "cut", t->cut);
	json_write_open(w, "stack", '[');
	for (uint32_t f = 0; f < t->frames; f++) {
		size_t count;
		const struct symbol *s = symbolize_frame(x->symbols, &t->frame[f], &count);

		for (size_t k = 0; k < count; k++)
			json_stack_frame(w, &s[k], t->frame[f].heuristic);
	}
	json_write_close(w, ']');
	json_write_close(w, '}');
}

static void put_json(const struct dump_text *x)
{
	struct json_writer w = {.out = stdout};

	json_write_open_lines(&w, NULL, '{');
	JSON_PUT(&w, "schema", "scprof-dump/1", "pid", x->dump->pid, "verdict", x->verdict,
		 "stopped_ms", x->dump->stopped_ms);
	json_write_open_lines(&w, "threads", '[');
	for (size_t i = 0; i < x->dump->threads; i++)
		put_thread(&w, x, i);
	json_write_close(&w, ']');
	json_write_finish(&w);
}

/* The first thread's, which need not have the smallest number. */
static const char *name_of(const struct dump *d)
{
	size_t i = d->threads - 1;

	while (i && d->thread[i].tid != d->pid)
		i--;
	return d->thread[i].name;
}

static int show(pid_t pid, bool json)
{
	struct profile_error err = {.text = "out of memory"};
	struct dump_text x = {0};
	struct dump *d = dump_take(pid, true, &err);
	bool fine = d && dump_text_begin(&x, d, 0);

	if (!fine) {
		complaint_lines(COMMAND, err.text);
	} else if (json) {
		put_json(&x);
	} else {
		printf("process %d (", (int)pid);
		utf8_put_clean(stdout, name_of(d), true);
		printf("), %s\n", x.verdict);
		dump_text_print(&x, stdout);
	}
	dump_text_end(&x);
	dump_free(d);
	return fine ? 0 : 1;
}

int cmd_dump(int argc, char **argv)
{
	bool json = false;
	int status = options_parse(&cmd_dump_usage, argc, argv, NULL, &json);
	pid_t pid = 0;

	if (status != OPTIONS_GO)
		return status;
	if (argc - optind == 1)
		pid = attach_options_pid(COMMAND, argv[optind]);
	else
		complaint_say(COMMAND, "which process? usage: scprof dump [--json] PID");
	return pid ? show(pid, json) : cmd_dump_usage.bad_usage;
}
