// SPDX-License-Identifier: GPL-3.0-or-later
/* Crafted tables of a process: whatever they say, reading them ends, and ends within bounds. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/attach/safe_point/safe_points.h"
#include "collector/attach/safe_point/safe_point_private.h"

#define CODE   ((uint64_t)(uintptr_t)t->data + 4096)
#define ENTRY  64 /* where the second entry begins, behind the common one */
#define ROUNDS 50000
#define FILES  40
#define WORK   (1u << 20)

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

struct table {
	uint8_t data[512];
	int32_t frame[2];
	struct safe_point_object object;
};

/* As a compiler writes it: CFA = rsp + 8, then + 16 from the second byte of code on. */
static void make_table(struct table *t)
{
	static const uint8_t common[] = {20, 0,	   0,  0, 0,	0,    0, 0, 1,	  'z', 'R', 0,
					 1,  0x78, 16, 1, 0x04, 0x0c, 7, 8, 0x90, 1,   0,   0};
	static const uint8_t program[] = {0, 0x41, 0x0e, 16, 0x86, 2, 0, 0};
	uint64_t code = CODE, bytes = 16;
	uint32_t length = 4 + 16 + sizeof(program), back = ENTRY + 4;
	memset(t, 0, sizeof(*t));
	memcpy(t->data, common, sizeof(common));
	memcpy(t->data + ENTRY, &length, 4);
	memcpy(t->data + ENTRY + 4, &back, 4);
	memcpy(t->data + ENTRY + 8, &code, 8);
	memcpy(t->data + ENTRY + 16, &bytes, 8);
	memcpy(t->data + ENTRY + 24, program, sizeof(program));
	t->frame[0] = 0;
	t->object.frame_header = (uint64_t)(uintptr_t)t->data;
	t->frame[1] = ENTRY;
	t->object.frame = t->frame;
	t->object.frames = 1;
}

static struct safe_point_window window;
static struct unwind_memory memory = {.window = &window};
static struct unwind_work work;
static struct unwind_cursor cursor = {.work = &work, .context = &memory};

static bool row_at(const struct table *t, uint64_t at)
{
	bool signal;
	uint64_t column;
	window.pid = getpid();
	window.bytes = 0;
	memory.object = &t->object;
	memory.work = WORK;
	unwind_register_begin(&cursor, at, 0, 0);
	cursor.exact = true;
	return unwind_cfi_find_row(&cursor, &signal, &column);
}

static void a_row_is_that_of_its_address(void **state)
{
	struct table *t = malloc(sizeof(*t));
	const struct unwind_row *row = &work.row;
	(void)state;
	make_table(t);
	assert_true(row_at(t, CODE));
	assert_int_equal(row->cfa_offset, 8);
	assert_int_equal(row->rule[ARCH_RA].kind, RULE_OFFSET);
	assert_int_equal(row->rule[ARCH_RA].v, -8);
	assert_true(row_at(t, CODE + 1));
	assert_int_equal(row->cfa_offset, 16);
	assert_int_equal(row->rule[6].v, -16);
	assert_false(row_at(t, CODE + 16));
	assert_false(row_at(t, CODE - 1));
	free(t);
}

static void set_registers(uint64_t value)
{
	for (unsigned i = 0; i < ARCH_REGS; i++)
		cursor.reg[i] = (struct unwind_register){value + i, UNWIND_VALUE};
}

static void changed_tables_end(void **state)
{
	struct table *t = malloc(sizeof(*t));
	unsigned found = 0;
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		make_table(t);
		for (uint32_t k = 1 + draw(6); k > 0; k--)
			t->data[draw(ENTRY + 40)] = (uint8_t)draw(256);
		if (!row_at(t, CODE + draw(16)))
			continue;
		found++;
		set_registers((uint64_t)(uintptr_t)t->data);
		unwind_row_apply(&cursor, false, ARCH_RA);
	}
	assert_in_range(found, ROUNDS / 100, ROUNDS - 1);
	free(t);
}

static void random_expressions_end(void **state)
{
	uint8_t block[UNWIND_MEMORY_BLOCK];
	uint64_t value;
	(void)state;
	window.pid = getpid();
	for (int i = 0; i < ROUNDS; i++) {
		block[0] = (uint8_t)draw(sizeof(block) + 8);
		for (size_t k = 1; k < sizeof(block); k++)
			block[k] = (uint8_t)draw(0x90);
		set_registers(1);
		memory.work = WORK;
		unwind_expr_evaluate(&cursor, (uint64_t)(uintptr_t)block, draw(2), 1, &value);
	}
}

/* A child that has the bytes of its own libc mapped, changed here and there. */
static pid_t with_changed_object(void)
{
	static uint8_t head[65536];
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	FILE *f = fopen("/proc/self/exe", "r");
	size_t bytes = f != NULL ? fread(head, 1, sizeof(head), f) : 0;
	for (uint32_t k = 1 + draw(20); k > 0; k--)
		head[draw(k % 2 != 0 ? 1024 : sizeof(head))] = (uint8_t)draw(256);
	memcpy(head, "\177ELF\2\1\1", 7);
	for (int i = 0; i < 4; i++) {
		int fd = memfd_create("changed", 0);
		if (fd < 0 || write(fd, head, bytes) != (ssize_t)bytes)
			_exit(1);
		mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	}
	prctl(PR_SET_NAME, "ready");
	for (;;)
		pause();
}

static void await_ready(pid_t pid)
{
	char path[64], text[16] = "";
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	for (int i = 0; i < 900000 && strncmp(text, "ready", 5) != 0; i++) { /* for hangs */
		FILE *f = fopen(path, "r");
		if (f == NULL || fgets(text, sizeof(text), f) == NULL)
			text[0] = '\0';
		if (f != NULL)
			fclose(f);
		usleep(1000);
	}
	assert_memory_equal(text, "ready", 5);
}

static void changed_objects_are_read_or_refused(void **state)
{
	struct profile_error err;
	pid_t tids[4];
	(void)state;
	for (int i = 0; i < FILES; i++) {
		draw(2);
		pid_t pid = with_changed_object();
		await_ready(pid);
		struct safe_points *s = safe_points_open(pid, &err);
		if (s != NULL)
			assert_true(safe_points_candidates(s, tids, 4) <= 4);
		safe_points_close(s);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_that_of_its_address),
		cmocka_unit_test(changed_tables_end),
		cmocka_unit_test(random_expressions_end),
		cmocka_unit_test(changed_objects_are_read_or_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
