// SPDX-License-Identifier: GPL-3.0-or-later
/* The symbolizer on this very program: its functions, lines and inlined calls
 * are known to the test. */
#include "tests/unit/support/report_fixture.h"
#include "report/model/model.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <elfutils/libdwelf.h>

struct spot {
	uintptr_t pc;
	int line;
};

__attribute__((noinline)) static uintptr_t here(void)
{
	__asm__ volatile("" ::: "memory");
	return (uintptr_t)__builtin_return_address(0);
}

__attribute__((always_inline)) static inline void inner(struct spot *s)
{
	s->line = __LINE__ + 1;
	s->pc = here();
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

__attribute__((noinline)) static int outer(struct spot *s)
{
	int line = __LINE__ + 1;
	inner(s);
	return line;
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

static struct prof_frame frame_at(uintptr_t pc)
{
	uintptr_t bias = 0;

	dl_iterate_phdr(first_bias, &bias);
	return (struct prof_frame){.module = 0, .offset = pc - bias};
}

static char self[512];
static struct prof_module module;
static struct profile profile;

static struct symbolizer *symbolizer_for(const char *path)
{
	struct symbolizer *s;

	snprintf(self, sizeof(self), "%s", path);
	memset(&module, 0, sizeof(module));
	module.path = self;
	profile = (struct profile){.module = &module, .modules = 1};
	s = symbolize_new(&profile);
	assert_non_null(s);
	return s;
}

static const char *program(void)
{
	static char path[512];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	return path;
}

static void read_build_id(void)
{
	int fd = open(program(), O_RDONLY);
	const void *bits;
	ssize_t bytes;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	bytes = dwelf_elf_gnu_build_id(elf, &bits);
	if (bytes > 0 && bytes <= (ssize_t)sizeof(module.build_id)) {
		memcpy(module.build_id, bits, (size_t)bytes);
		module.build_id_bytes = (uint32_t)bytes;
	}
	elf_end(elf);
	close(fd);
}

static const char *file_name(const struct symbol *s)
{
	assert_non_null(s->file);
	return strrchr(s->file, '/') ? strrchr(s->file, '/') + 1 : s->file;
}

static void test_inlined_functions_and_lines(void **state)
{
	struct symbolizer *s = symbolizer_for(program());
	struct spot spot;
	int line = outer(&spot);
	struct prof_frame frame = frame_at(spot.pc);
	const struct symbol *symbol;
	size_t count;

	(void)state;
	read_build_id();
	symbol = symbolize_frame(s, &frame, &count);
	assert_int_equal(symbolize_module_state(s, 0), SYMBOLIZE_LOADED);
	assert_int_equal(count, 2);
	assert_string_equal(symbol[0].function, "inner");
	assert_true(symbol[0].inlined);
	assert_int_equal(symbol[0].line, spot.line);
	assert_string_equal(file_name(&symbol[0]), "test_symbols.c");
	assert_string_equal(symbol[1].function, "outer");
	assert_false(symbol[1].inlined);
	assert_int_equal(symbol[1].line, line);
	assert_int_equal(symbol[1].declared, line - 3);
	assert_int_equal(symbol[0].declared, spot.line - 3);
	assert_ptr_equal(symbolize_frame(s, &frame, &count), symbol); /* kept */
	symbolize_free(s);
}

extern void _start(void);

/* libc's startup code lies between this program's units, and has no lines. */
static void test_code_without_lines_gets_none(void **state)
{
	struct symbolizer *s = symbolizer_for(program());
	struct prof_frame frame = frame_at((uintptr_t)_start);
	const struct symbol *symbol;
	size_t count;

	(void)state;
	for (; frame.offset < frame_at((uintptr_t)_start).offset + 32; frame.offset++) {
		frame.exact = true;
		symbol = symbolize_frame(s, &frame, &count);
		assert_int_equal(count, 1);
		assert_string_equal(symbol->function, "_start");
		assert_null(symbol->file);
		assert_int_equal(symbol->line, 0);
	}
	symbolize_free(s);
}

static void test_return_address_belongs_to_the_call(void **state)
{
	struct symbolizer *s = symbolizer_for(program());
	struct prof_frame start = frame_at((uintptr_t)outer);
	const struct symbol *symbol;
	size_t count;

	(void)state;
	start.exact = true;
	symbol = symbolize_frame(s, &start, &count);
	assert_string_equal(symbol[count - 1].function, "outer");
	start.exact = false; /* one byte earlier lies another function */
	symbol = symbolize_frame(s, &start, &count);
	assert_true(!symbol[count - 1].function || strcmp(symbol[count - 1].function, "outer"));
	symbolize_free(s);
}

static void test_another_build_is_not_used(void **state)
{
	struct profile *p = &profile;
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct prof_frame frame = frame_at((uintptr_t)outer + 4);
	const struct symbol *symbol;
	struct report *r;
	size_t count;

	(void)state;
	symbolize_free(symbolizer_for(program()));
	memset(module.build_id, 0x5a, 20);
	module.build_id_bytes = 20;
	r = report_build(p, &o);
	assert_non_null(r);
	symbol = frame_symbols_find(r, &frame, &count);
	assert_int_equal(count, 1);
	assert_null(symbol->function);
	assert_null(symbol->file);
	assert_int_equal(symbol->offset, frame.offset);
	frame_symbols_find(r, &frame, &count);
	assert_int_equal(r->warnings, 2); /* no-calls, and this one only once */
	assert_string_equal(r->warning[1].code, "missing-module");
	report_free(r);
}

static void check_unknown(const char *path)
{
	struct symbolizer *s = symbolizer_for(path);
	struct prof_frame frame = {.module = 0, .offset = 0x1234};
	size_t count;
	const struct symbol *symbol = symbolize_frame(s, &frame, &count);

	assert_int_equal(count, 1);
	assert_null(symbol->function);
	assert_string_equal(symbol->module, path);
	assert_int_equal(symbol->offset, 0x1234);
	assert_int_equal(symbolize_module_state(s, 0), SYMBOLIZE_MISSING);
	symbolize_free(s);
}

/* It waits in the kernel, asleep, in that call. */
static void await_call(pid_t pid, long number)
{
	char path[64], line[256];
	const struct timespec while_ms = {.tv_nsec = 1000000};

	for (bool there = false; !there; nanosleep(&while_ms, NULL)) {
		long call = -1;
		FILE *f;

		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
		snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
		f = fopen(path, "r");
		assert_non_null(f);
		/* "running" where it does not wait */
		there = fgets(line, sizeof(line), f) && sscanf(line, "%ld", &call) == 1 &&
			call == number;
		fclose(f);
	}
}

/* Who writes to a pipe waits until somebody opens it to read. */
static void test_a_pipe_is_not_even_opened(void **state)
{
	char directory[] = "/tmp/scprof-test-XXXXXX", pipe_path[64];
	pid_t child;
	int status, fd;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", directory);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	child = fork();
	if (child == 0)
		_exit(open(pipe_path, O_WRONLY) < 0);
	await_call(child, SYS_openat);
	check_unknown(pipe_path);
	await_call(child, SYS_openat); /* still: opened it would have ended */
	fd = open(pipe_path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd);
	unlink(pipe_path);
	rmdir(directory);
}

static enum symbolize_state state_of(const char *path, bool build_id, bool guarded)
{
	struct symbolizer *s = symbolizer_for(path);
	struct prof_frame frame = frame_at((uintptr_t)outer + 4);
	enum symbolize_state state;
	size_t count;

	if (build_id)
		read_build_id();
	if (guarded)
		symbolize_guard(s);
	symbolize_frame(s, &frame, &count);
	state = symbolize_module_state(s, 0);
	symbolize_free(s);
	return state;
}

/* libdw must not read what another user made. */
static void test_a_guarded_reader_opens_files_of_root_only(void **state)
{
	char copy[] = "/tmp/scprof-test-XXXXXX", command[700];
	int fd = mkstemp(copy);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "cp '%s' %s && chmod 644 %s", program(), copy, copy);
	assert_int_equal(system(command), 0);
	assert_int_equal(state_of(copy, true, true),
			 geteuid() ? SYMBOLIZE_MISSING : SYMBOLIZE_LOADED);
	assert_int_equal(state_of(copy, false, false), SYMBOLIZE_LOADED);
	assert_int_equal(state_of(copy, false, true), SYMBOLIZE_MISSING);
	if (chown(copy, 65534, 65534) == 0) { /* root's right */
		assert_int_equal(state_of(copy, true, false), SYMBOLIZE_LOADED);
		assert_int_equal(state_of(copy, true, true), SYMBOLIZE_MISSING);
	}
	unlink(copy);
}

/* None of these may block, crash or name anything. */
static void test_what_is_no_module(void **state)
{
	char fifo[] = "/tmp/scprof-test-XXXXXX", pipe_path[64];

	(void)state;
	assert_non_null(mkdtemp(fifo));
	snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", fifo);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	check_unknown(pipe_path);
	check_unknown("/nonexistent/libgone.so (deleted)");
	check_unknown("[vdso]");
	check_unknown("");
	check_unknown("/dev/null");
	check_unknown("/");
	check_unknown("/proc/self/cmdline");
	unlink(pipe_path);
	rmdir(fifo);
}

static void test_a_copy_is_called_by_the_function(void **state)
{
	(void)state;
	assert_int_equal(symbolize_stem("put"), 3);
	assert_int_equal(symbolize_stem("put.isra.0.constprop.1"), 3);
	assert_int_equal(symbolize_stem("put(int) [clone .constprop.0]"), 8);
	assert_int_equal(symbolize_stem("main.put"), 8); /* of Go */
}

static void test_no_module_at_all(void **state)
{
	struct symbolizer *s = symbolizer_for("/nonexistent");
	struct prof_frame frame = {.module = PROF_NO_MODULE, .offset = 0x7f0000001234};
	size_t count;
	const struct symbol *symbol = symbolize_frame(s, &frame, &count);

	(void)state;
	assert_int_equal(count, 1);
	assert_null(symbol->module);
	assert_int_equal(symbol->offset, 0x7f0000001234);
	assert_int_equal(symbolize_module_state(s, 0), SYMBOLIZE_UNTRIED);
	symbolize_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inlined_functions_and_lines),
		cmocka_unit_test(test_code_without_lines_gets_none),
		cmocka_unit_test(test_return_address_belongs_to_the_call),
		cmocka_unit_test(test_another_build_is_not_used),
		cmocka_unit_test(test_a_pipe_is_not_even_opened),
		cmocka_unit_test(test_a_guarded_reader_opens_files_of_root_only),
		cmocka_unit_test(test_what_is_no_module),
		cmocka_unit_test(test_a_copy_is_called_by_the_function),
		cmocka_unit_test(test_no_module_at_all),
	};

	return cmocka_run_group_tests_name("report symbols", tests, NULL, NULL);
}
