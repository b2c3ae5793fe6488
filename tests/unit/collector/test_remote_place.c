// SPDX-License-Identifier: GPL-3.0-or-later
/* The proof of where a borrowed thread is, and the table of what each stop asks for. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <cmocka.h>

#include "collector/attach/remote/remote.h"

#ifdef __x86_64__

#define GROUND	 0x7ffc0000e008ull
#define NONCE	 0x123456789abcdef1ull
#define CALL	 0x7f0000001000ull
#define RESTORER 0x7f0000002000ull
#define AREA	 0x7e0000000000ull
#define BYTES	 0x100000ull

static const struct remote_traces on_stack = {GROUND, NONCE, CALL, RESTORER, 0, 0};
static const struct remote_traces in_area = {AREA + BYTES / 2, NONCE, CALL, RESTORER, AREA, BYTES};

static enum remote_place place(const struct remote_traces *t, uint64_t rip, uint64_t rsp,
			       uint64_t nonce)
{
	struct user_regs_struct regs = {.rip = rip, .rsp = rsp};

	regs.REMOTE_NONCE_REGISTER = nonce;
	return remote_place(t, &regs);
}

static void without_a_frame_it_is_its_own(void **state)
{
	struct remote_traces t = in_area;

	(void)state;
	t.ground = 0;
	assert_int_equal(place(&t, CALL, AREA + 4096, NONCE), REMOTE_OWN);
}

static void on_its_own_stack_all_three_prove_it(void **state)
{
	(void)state;
	assert_int_equal(place(&on_stack, CALL, GROUND, NONCE), REMOTE_INSIDE);
	assert_int_equal(place(&on_stack, CALL + 2, GROUND, NONCE), REMOTE_INSIDE);
	assert_int_equal(place(&on_stack, RESTORER, GROUND + 8, NONCE), REMOTE_GATE);
	assert_int_equal(place(&on_stack, RESTORER + 9, GROUND + 8, NONCE), REMOTE_GATE);
	assert_int_equal(place(&on_stack, CALL, GROUND, NONCE + 1), REMOTE_HOME);
	assert_int_equal(place(&on_stack, CALL + 3, GROUND, NONCE), REMOTE_HOME);
	assert_int_equal(place(&on_stack, CALL, GROUND - 8, NONCE), REMOTE_HOME);
	assert_int_equal(place(&on_stack, RESTORER, GROUND + 16, NONCE), REMOTE_HOME);
	assert_int_equal(place(&on_stack, RESTORER + 10, GROUND + 8, NONCE), REMOTE_HOME);
	assert_int_equal(place(&on_stack, RESTORER + 9, GROUND + 8, 0), REMOTE_HOME);
}

static void in_the_area_the_stack_pointer_proves_it(void **state)
{
	(void)state;
	assert_int_equal(place(&in_area, 0x1234, AREA + 8, 0), REMOTE_INSIDE);
	assert_int_equal(place(&in_area, 0x1234, AREA + BYTES, 0), REMOTE_INSIDE);
	assert_int_equal(place(&in_area, 0x1234, AREA, 0), REMOTE_HOME);
	assert_int_equal(place(&in_area, 0x1234, AREA + BYTES + 8, 0), REMOTE_HOME);
	assert_int_equal(place(&in_area, 0x1234, AREA - 8, 0), REMOTE_HOME);
	assert_int_equal(place(&in_area, RESTORER + 9, AREA + BYTES / 2 + 8, NONCE), REMOTE_GATE);
	/* the outer one of two frames: its rt_sigreturn leads home, too */
	assert_int_equal(place(&in_area, RESTORER + 9, AREA + BYTES / 2 + 1008, NONCE),
			 REMOTE_INSIDE);
}

static int stopped(int signal, int event)
{
	return event << 16 | signal << 8 | 0x7f;
}

static void signals_of_its_own_are_not_faults(void **state)
{
	(void)state;
	assert_int_equal(remote_stop_kind(stopped(SIGSEGV, 0), SEGV_MAPERR), REMOTE_STOP_FAULT);
	assert_int_equal(remote_stop_kind(stopped(SIGSEGV, 0), SI_KERNEL), REMOTE_STOP_FAULT);
	assert_int_equal(remote_stop_kind(stopped(SIGSEGV, 0), SI_USER), REMOTE_STOP_SIGNAL);
	assert_int_equal(remote_stop_kind(stopped(SIGSEGV, 0), SI_TKILL), REMOTE_STOP_SIGNAL);
	assert_int_equal(remote_stop_kind(stopped(SIGCHLD, 0), CLD_EXITED), REMOTE_STOP_SIGNAL);
	assert_int_equal(remote_stop_kind(stopped(SIGALRM, 0), SI_KERNEL), REMOTE_STOP_SIGNAL);
	assert_int_equal(remote_stop_kind(stopped(SIGIO, 0), POLL_IN), REMOTE_STOP_SIGNAL);
	assert_int_equal(remote_stop_kind(stopped(64, 0), SI_QUEUE), REMOTE_STOP_SIGNAL);
	assert_int_equal(remote_stop_kind(stopped(SIGSTOP, 0), SI_USER), REMOTE_STOP_SIGSTOP);
	assert_int_equal(remote_stop_kind(stopped(SIGTRAP | 0x80, 0), 0), REMOTE_STOP_CALL);
	assert_int_equal(remote_stop_kind(stopped(SIGTRAP, PTRACE_EVENT_STOP), 0),
			 REMOTE_STOP_TRAP);
	assert_int_equal(remote_stop_kind(stopped(SIGTTIN, PTRACE_EVENT_STOP), 0),
			 REMOTE_STOP_GROUP);
	assert_int_equal(remote_stop_kind(stopped(SIGTRAP, PTRACE_EVENT_EXEC), 0),
			 REMOTE_STOP_EXEC);
}

/* Every stop in every place: no signal is lost, and at home nothing but leaving is left to do. */
static void each_stop_has_one_answer(void **state)
{
	(void)state;
	for (int stop = 0; stop < REMOTE_STOPS; stop++) {
		enum remote_act own = remote_act(REMOTE_OWN, stop),
				inside = remote_act(REMOTE_INSIDE, stop),
				gate = remote_act(REMOTE_GATE, stop),
				home = remote_act(REMOTE_HOME, stop);

		if (stop == REMOTE_STOP_EXEC) {
			assert_int_equal(own | inside | gate | home, REMOTE_LOST);
			continue;
		}
		assert_int_equal(home, REMOTE_LET_GO);
		assert_true(own != REMOTE_BROKEN && own != REMOTE_LATER && own != REMOTE_ENTERED);
		assert_true(inside != REMOTE_ENTERED && inside != REMOTE_LET_GO);
		assert_int_equal(gate == REMOTE_ENTERED, stop == REMOTE_STOP_CALL);
		if (stop == REMOTE_STOP_SIGNAL) {
			assert_int_equal(own, REMOTE_DELIVER);
			assert_int_equal(inside, REMOTE_LATER);
			assert_int_equal(gate, REMOTE_LATER);
		}
		if (stop == REMOTE_STOP_SIGSTOP) {
			assert_int_equal(own, REMOTE_DELIVER);
			assert_int_equal(inside, REMOTE_DELIVER);
			assert_int_equal(gate, REMOTE_DELIVER);
		}
		assert_int_equal(inside == REMOTE_BROKEN, stop == REMOTE_STOP_FAULT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_frame_it_is_its_own),
		cmocka_unit_test(on_its_own_stack_all_three_prove_it),
		cmocka_unit_test(in_the_area_the_stack_pointer_proves_it),
		cmocka_unit_test(signals_of_its_own_are_not_faults),
		cmocka_unit_test(each_stop_has_one_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
