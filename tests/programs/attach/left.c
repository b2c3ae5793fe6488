// SPDX-License-Identifier: GPL-3.0-or-later
/* A quiet program that leaves something behind when it is told to, to try what looks for that: at
 * SIGUSR2 with the value N (sigqueue) it does the Nth of the things below. Prints "ready 1", "left
 * N" when it was done, and "ended" at the end of its input. */
#include "tried.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

static long page_of_data[1024] __attribute__((aligned(4096))) = {1};
static const void *const volatile slot_of_ours[] = {(const void *)&getppid, (const void *)&getuid};

static void *stay(void *argument)
{
	(void)argument;
	for (;;)
		pause();
	return NULL;
}

static void on_nothing(int number)
{
	(void)number;
}

/* A pointer that the linker relocated, behind RELRO. */
static void change_slot(void)
{
	char *page = (char *)((uintptr_t)slot_of_ours & ~4095ul);

	mprotect(page, 8192, PROT_READ | PROT_WRITE);
	*(void **)(uintptr_t)&slot_of_ours[0] = (void *)&stay;
	mprotect(page, 8192, PROT_READ);
}

static void leave(int what)
{
	pthread_t thread;
	sigset_t set;

	switch (what) {
	case 1:
		(void)!dup(0);
		break;
	case 2:
		signal(SIGWINCH, on_nothing);
		break;
	case 3:
		pthread_create(&thread, NULL, stay, NULL);
		break;
	case 4:
		setenv("SCPROF_LEFT", "1", 1);
		break;
	case 5:
		sigemptyset(&set);
		sigaddset(&set, SIGXCPU);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		break;
	case 6:
		mprotect(page_of_data, sizeof page_of_data / 2, PROT_READ);
		break;
	case 7:
		change_slot();
		break;
	case 8:
		page_of_data[7] = 4711;
		break;
	case 9:
		umask(0111);
		break;
	case 10:
		(void)!chdir("/");
		break;
	case 11:
		signal(SIGWINCH, SIG_IGN);
		break;
	default:
		break;
	}
}

/* By a descriptor: sigtimedwait would take SIGUSR2 out of the thread's mask while it waits. */
int main(void)
{
	static sigset_t orders;
	struct signalfd_siginfo info;
	struct pollfd wait[2] = {{.events = POLLIN}, {.events = POLLIN}};
	char c;

	sigemptyset(&orders);
	sigaddset(&orders, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &orders, NULL);
	wait[1].fd = signalfd(-1, &orders, SFD_CLOEXEC);
	fcntl(0, F_SETFL, O_NONBLOCK);
	say("ready 1\n");
	while (read(0, &c, 1) != 0) {
		poll(wait, 2, -1);
		if (!(wait[1].revents & POLLIN) || read(wait[1].fd, &info, sizeof info) < 1)
			continue;
		leave(info.ssi_int);
		say("left %d\n", info.ssi_int);
	}
	say("ended\n");
	return 0;
}
