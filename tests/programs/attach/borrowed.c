// SPDX-License-Identifier: GPL-3.0-or-later
/* One thread that does one thing for ever, and checks that nothing of it changes: borrowed KIND
 * FILE. Kinds that end with "_ever" wait for what never comes: their call must not return. */
#include "borrowed.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP_MS 20
#define LOOPS  20000

static struct borrowed *mine;

static void expect(int fine, const char *what, long value)
{
	if (fine)
		return;
	if (atomic_fetch_add(&mine->failures, 1) == 0)
		snprintf(mine->text, sizeof mine->text, "%s: %ld", what, value);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int a_pipe(void)
{
	int fd[2];

	return pipe(fd) ? -1 : fd[0];
}

static void never(const char *call, long result)
{
	expect(0, call, result < 0 ? -errno : result);
}

static void epoll_ever(void)
{
	struct epoll_event e = {.events = EPOLLIN};
	int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, a_pipe(), &e);
	never("epoll_wait", epoll_wait(fd, &e, 1, -1));
}

static void accept_ever(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	listen(fd, 5);
	never("accept", accept(fd, NULL, NULL));
}

static void receive_ever(void)
{
	struct timeval t = {3600, 0};
	int fd[2];
	char c;

	socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
	setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
	never("recv", recv(fd[0], &c, 1, 0));
}

static void read_ever(void)
{
	char c;

	never("read", read(a_pipe(), &c, 1));
}

static void futex_ever(void)
{
	static int word;

	never("futex", syscall(SYS_futex, &word, 0, 0, NULL, NULL, 0));
}

static void signal_ever(void)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	sigprocmask(SIG_BLOCK, &s, NULL);
	never("sigwaitinfo", sigwaitinfo(&s, NULL));
}

static void semaphore_ever(void)
{
	int id = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf take = {0, -1, 0};

	/* at the end it is removed: its last user is killed */
	if (fork() == 0) {
		while (getppid() != 1)
			usleep(10000);
		semctl(id, 0, IPC_RMID);
		_exit(0);
	}
	never("semop", semop(id, &take, 1));
}

static void select_ever(void)
{
	fd_set s;
	int fd = a_pipe();

	FD_ZERO(&s);
	FD_SET(fd, &s);
	never("select", select(fd + 1, &s, NULL, NULL, NULL));
}

/* A mask of its own during the call: SIGUSR1, which is pending, stays blocked. */
static void ppoll_ever(void)
{
	struct pollfd p = {.fd = a_pipe(), .events = POLLIN};
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	never("ppoll", ppoll(&p, 1, NULL, &s));
}

/* The kernel cannot write there how much is left of the limit, and takes none of these up again. */
static void constant_ever(void)
{
	static const struct timespec hour = {3600, 0};
	struct pollfd p = {.fd = a_pipe(), .events = POLLIN};

	never("ppoll", syscall(SYS_ppoll, &p, 1, &hour, NULL, 8));
}

static void sleep_long(void)
{
	struct timespec t = {1, 0};
	double start = now_ms();
	int result = nanosleep(&t, NULL);

	expect(result == 0, "nanosleep", errno);
	expect(now_ms() - start >= 1000, "nanosleep slept", (long)(now_ms() - start));
}

static void sleep_short(void)
{
	struct timespec t = {0, NAP_MS * 1000000};
	double start = now_ms();
	int result = nanosleep(&t, NULL);

	expect(result == 0, "nanosleep", errno);
	expect(now_ms() - start >= NAP_MS, "nanosleep slept", (long)(now_ms() - start));
}

static void poll_timed(void)
{
	struct pollfd p = {.fd = a_pipe(), .events = POLLIN};

	for (int i = 0; i < 100; i++, mine->rounds++)
		expect(poll(&p, 1, NAP_MS) == 0, "poll", errno);
	close(p.fd);
}

static void epoll_timed(void)
{
	static int fd = -1;
	struct epoll_event e;

	fd = fd < 0 ? epoll_create1(0) : fd;
	expect(epoll_wait(fd, &e, 1, NAP_MS) == 0, "epoll_wait with a time limit", errno);
}

static void epoll_long(void)
{
	struct epoll_event e;

	never("epoll_wait", epoll_wait(epoll_create1(0), &e, 1, 3600000));
}

static void futex_timed(void)
{
	struct timespec t = {0, NAP_MS * 1000000};
	static int word;
	long result = syscall(SYS_futex, &word, 0, 0, &t, NULL, 0);

	expect(result == -1 && errno == ETIMEDOUT, "futex with a time limit", errno);
}

#ifdef __x86_64__

/* All general registers but the stack pointer, flags and x87. */
static void registers(void)
{
	static const double one = 1;
	double top = 0;
	unsigned long bad = 0;

	__asm__ volatile("fldl %[one]\n\t"
			 "push %%rbp\n\t"
			 "sub $128, %%rsp\n\t"
			 "movq $0x5eed, -8(%%rsp)\n\t" /* the red zone */
			 "movq $0x5eee, -120(%%rsp)\n\t"
			 "mov $0x1111, %%rax\n\tmov $0x2222, %%rbx\n\tmov $0x3333, %%rdx\n\t"
			 "mov $0x4444, %%rsi\n\tmov $0x5555, %%rdi\n\tmov $0x6666, %%rbp\n\t"
			 "mov $0x7777, %%r8\n\tmov $0x8888, %%r9\n\tmov $0x9999, %%r10\n\t"
			 "mov $0xaaaa, %%r11\n\tmov $0xbbbb, %%r12\n\tmov $0xcccc, %%r13\n\t"
			 "mov $0xdddd, %%r14\n\tmov $0xeeee, %%r15\n\t"
			 "mov $100000, %%ecx\n\t"
			 "std\n"
			 "1:\tloop 1b\n\t"
			 "pushfq\n\tbtq $10, (%%rsp)\n\tjnc 2f\n\tadd $8, %%rsp\n\t"
			 "cld\n\t"
			 "cmp $0x1111, %%rax\n\tjne 3f\n\tcmp $0x2222, %%rbx\n\tjne 3f\n\t"
			 "cmp $0x3333, %%rdx\n\tjne 3f\n\tcmp $0x4444, %%rsi\n\tjne 3f\n\t"
			 "cmp $0x5555, %%rdi\n\tjne 3f\n\tcmp $0x6666, %%rbp\n\tjne 3f\n\t"
			 "cmp $0x7777, %%r8\n\tjne 3f\n\tcmp $0x8888, %%r9\n\tjne 3f\n\t"
			 "cmp $0x9999, %%r10\n\tjne 3f\n\tcmp $0xaaaa, %%r11\n\tjne 3f\n\t"
			 "cmp $0xbbbb, %%r12\n\tjne 3f\n\tcmp $0xcccc, %%r13\n\tjne 3f\n\t"
			 "cmp $0xdddd, %%r14\n\tjne 3f\n\tcmp $0xeeee, %%r15\n\tjne 3f\n\t"
			 "cmpq $0x5eee, -120(%%rsp)\n\tjne 3f\n\t"
			 "xor %%eax, %%eax\n\tjmp 4f\n"
			 "2:\tadd $8, %%rsp\n\tcld\n"
			 "3:\tmov $1, %%eax\n"
			 "4:\tadd $128, %%rsp\n\t"
			 "pop %%rbp\n\t"
			 "fstpl %[top]\n\t"
			 : "=a"(bad), [top] "=m"(top)
			 : [one] "m"(one)
			 : "memory", "cc", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
			   "r11", "r12", "r13", "r14", "r15");
	expect(bad == 0, "general registers or flags", 0);
	expect(top == 1, "x87 stack", 0);
}

#define WIDTH	      64
#define SIXTEEN	      "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define THIRTY_TWO    SIXTEEN ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define EACH(N, TEXT) ".irp n," N "\n\t" TEXT "\n\t.endr\n\t"
#define SPIN	      "mov $100000, %%ecx\n1:\tloop 1b\n\t"

static void vectors(void)
{
	static unsigned char in[32 * WIDTH], out[32 * WIDTH];
	static uint64_t masks[16];
	const uint32_t down = 0x3f80, plain = 0x1f80;
	const uint16_t x87 = 0x27f, x87_plain = 0x37f;
	uint32_t mxcsr;
	uint16_t control;
	int bytes = 16;

	for (int i = 0; i < 32 * WIDTH; i++)
		in[i] = (unsigned char)(i * 7 + i / 64 + (int)mine->rounds);
	for (int i = 1; i < 8; i++)
		masks[i] = (mine->rounds * 77 + (unsigned)i * 1001) & 0xffff;
	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(down), "m"(x87));
	if (__builtin_cpu_supports("avx512f")) {
		bytes = 64;
		__asm__ volatile(EACH(THIRTY_TWO, "vmovdqu64 \\n*64(%0), %%zmm\\n")
					 EACH("1,2,3,4,5,6,7", "kmovw \\n*8(%2), %%k\\n") SPIN EACH(
						 THIRTY_TWO, "vmovdqu64 %%zmm\\n, \\n*64(%1)")
						 EACH("1,2,3,4,5,6,7",
						      "kmovw %%k\\n, 64+\\n*8(%2)") "vzeroupper"
				 :
				 : "r"(in), "r"(out), "r"(masks)
				 : "memory", "rcx", "cc");
	} else {
		__asm__ volatile(EACH(SIXTEEN, "movdqu \\n*64(%0), %%xmm\\n")
					 SPIN EACH(SIXTEEN, "movdqu %%xmm\\n, \\n*64(%1)")
				 :
				 : "r"(in), "r"(out)
				 : "memory", "rcx", "cc");
	}
	__asm__ volatile("stmxcsr %0\n\tfstcw %1\n\tldmxcsr %2\n\tfldcw %3"
			 : "=m"(mxcsr), "=m"(control)
			 : "m"(plain), "m"(x87_plain));
	expect(mxcsr == down, "mxcsr", mxcsr);
	expect(control == x87, "x87's control word", control);
	for (int i = 0; i < (bytes == 64 ? 32 : 16); i++)
		expect(memcmp(in + i * 64, out + i * 64, (size_t)bytes) == 0, "vector register", i);
	for (int i = 1; bytes == 64 && i < 8; i++)
		expect(masks[i] == (masks[8 + i] & 0xffff), "mask register", i);
}

/* Matrix registers: the state is larger once they are used. */
static void matrices(void)
{
	static unsigned char in[1024], out[1024];
	static const struct {
		unsigned char palette, start, reserved[14];
		uint16_t columns[16];
		unsigned char rows[16];
	} shape = {.palette = 1, .columns = {64}, .rows = {16}};
	static int there = -1; /* not asked for yet */
	long stride = 64;

	if (there < 0)
		there = syscall(SYS_arch_prctl, 0x1023, 18) == 0;
	if (!there)
		return vectors();
	for (int i = 0; i < 1024; i++)
		in[i] = (unsigned char)(i * 3 + (int)mine->rounds);
	if (mine->rounds % 2) {					    /* asked for, and empty */
		__asm__ volatile(".byte 0xc4,0xe2,0x78,0x49,0xc0"); /* tilerelease */
		vectors();
		return;
	}
	__asm__ volatile(
		".byte 0xc4,0xe2,0x78,0x49,0x00\n\t"	       /* ldtilecfg (%%rax) */
		".byte 0xc4,0xe2,0x7b,0x4b,0x04,0x1a\n\t" SPIN /* tileloadd (%%rdx,%%rbx) */
		".byte 0xc4,0xe2,0x7a,0x4b,0x04,0x1e"	       /* tilestored (%%rsi,%%rbx) */
		:
		: "a"(&shape), "d"(in), "S"(out), "b"(stride)
		: "memory", "rcx", "cc");
	expect(memcmp(in, out, sizeof in) == 0, "matrix register", 0);
}

#else /* nothing borrows a thread there */
#define registers spin
#define vectors	  spin
#define matrices  spin
#endif

static void spin(void)
{
	for (int i = 0; i < LOOPS; i++)
		__asm__ volatile("" : : : "memory");
}

static void keeps_errno(void)
{
	errno = 123;
	spin();
	expect(errno == 123, "errno", errno);
}

static void keeps_signals(void)
{
	sigset_t blocked, pending;
	stack_t stack;

	spin();
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sigpending(&pending);
	sigaltstack(NULL, &stack);
	for (int s = 1; s < 32; s++) {
		expect(sigismember(&blocked, s) == (s == SIGUSR1), "blocked signal", s);
		expect(sigismember(&pending, s) == (s == SIGUSR1), "pending signal", s);
	}
	expect(stack.ss_size == 65536 && !(stack.ss_flags & ~0), "signal stack", stack.ss_flags);
}

static volatile sig_atomic_t trapped;

static void on_trap(int s)
{
	trapped = s;
}

/* Signals that instructions raise, and that do not do so again. */
static void traps(void)
{
	signal(SIGTRAP, on_trap);
	for (int i = 0; i < LOOPS; i++) {
		trapped = 0;
#ifdef __x86_64__
		__asm__ volatile("int3" ::: "memory");
#else
		raise(SIGTRAP);
#endif
		expect(trapped == SIGTRAP, "int3", trapped);
	}
}

static volatile sig_atomic_t handled;

static void start_child(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	mine->child = pid;
}

/* Each signal as it was sent: SIGCHLD by the child that was killed, the others with their value. */
static void handle(int s, siginfo_t *i, void *context)
{
	int saved = errno, child = mine->child;

	(void)context;
	if (s == SIGCHLD) {
		expect(i->si_code == CLD_KILLED && i->si_pid == child, "SIGCHLD's code",
		       i->si_code);
		expect(waitpid(child, NULL, WNOHANG) == child, "waitpid", errno);
		start_child();
	} else if (s != SIGCONT) {
		expect(i->si_code == SI_QUEUE && i->si_value.sival_int == BORROWED_VALUE(s),
		       "a signal's value", s);
	}
	handled = 1;
	mine->got[s]++;
	errno = saved;
}

/* In the first round all signals get a handler, `blocked` or not. */
static void set_handlers(int blocked)
{
	struct sigaction a = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t s;

	handled = 0;
	if (mine->rounds > 0)
		return;
	sigfillset(&a.sa_mask);
	for (int i = 1; i < 65; i++)
		if (i != SIGKILL && i != SIGSTOP && i != SIGUSR1 && (i < 32 || i > 33))
			sigaction(i, &a, NULL);
	sigfillset(&s);
	if (blocked)
		sigprocmask(SIG_BLOCK, &s, NULL);
	start_child();
}

static void handlers_spin(void)
{
	set_handlers(0);
	registers();
}

/* All signals are blocked, but while it waits. */
static void handlers_suspend(void)
{
	sigset_t s;

	set_handlers(1);
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	expect(sigsuspend(&s) == -1 && errno == EINTR && handled, "sigsuspend", errno);
}

static void handlers_epoll(void)
{
	static int fd;
	struct epoll_event e = {.events = EPOLLIN};

	set_handlers(0);
	if (mine->rounds == 0) {
		fd = epoll_create1(0);
		epoll_ctl(fd, EPOLL_CTL_ADD, a_pipe(), &e);
	}
	/* one that was handled before the wait began does not end it */
	expect(epoll_wait(fd, &e, 1, -1) == -1 && errno == EINTR && handled, "epoll_wait", errno);
}

static void handlers_read(void)
{
	set_handlers(0);
	read_ever(); /* SA_RESTART */
}

static void allocates(void)
{
	void *p[32];

	for (int i = 0; i < 32; i++)
		memset(p[i] = malloc((size_t)(i * 97 + 1)), i, (size_t)(i * 97 + 1));
	for (int i = 0; i < 32; i++) {
		expect(*(unsigned char *)p[i] == i, "memory", i);
		free(p[i]);
	}
}

static void loads(void)
{
	void *l = dlopen("libm.so.6", RTLD_NOW);

	expect(l && dlsym(l, "cos"), "dlopen", 0);
	if (l)
		dlclose(l);
}

/* In the first round a filter that does `action` for one system call. */
static void filter(unsigned int call, unsigned int action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog f = {sizeof code / sizeof *code, code};

	if (mine->rounds > 0)
		read_ever();
	else
		expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
			       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &f) == 0,
		       "filter", errno);
}

static void filter_fine(void)
{
	filter(SYS_keyctl, SECCOMP_RET_ERRNO | EPERM);
}

static void filter_kills(void)
{
	filter(SYS_openat, SECCOMP_RET_KILL_PROCESS);
}

static void *waits(void *unused)
{
	read_ever();
	return unused;
}

/* Beside a thread that a stop takes nothing from. */
static void filter_limit(void)
{
	pthread_t t;

	if (mine->rounds > 0)
		return epoll_long();
	filter_fine();
	expect(pthread_create(&t, NULL, waits, NULL) == 0, "thread", errno);
}

static _Atomic pid_t opener;

static void *opens(void *unused)
{
	opener = (pid_t)syscall(SYS_gettid);
	dlopen(getenv("CONSTRUCTOR"), RTLD_NOW); /* that pauses */
	return unused;
}

/* In the first round another thread begins to open a library, whose constructor waits. */
static void constructor(void)
{
	static pthread_t t;
	char path[64], text[32] = "";
	int fd;

	if (mine->rounds > 0)
		read_ever();
	expect(pthread_create(&t, NULL, opens, NULL) == 0, "thread", errno);
	while (!opener)
		usleep(1000);
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)opener);
	while (strtol(text, NULL, 10) != SYS_pause && !mine->failures) {
		fd = open(path, O_RDONLY);
		expect(fd >= 0 && read(fd, text, sizeof text - 1) > 0, "task", errno);
		close(fd);
	}
}

static const struct kind {
	const char *name;
	void (*run)(void);
} kinds[] = {{"epoll_ever", epoll_ever},
	     {"accept_ever", accept_ever},
	     {"receive_ever", receive_ever},
	     {"read_ever", read_ever},
	     {"futex_ever", futex_ever},
	     {"signal_ever", signal_ever},
	     {"semaphore_ever", semaphore_ever},
	     {"select_ever", select_ever},
	     {"ppoll_ever", ppoll_ever},
	     {"constant_ever", constant_ever},
	     {"sleep_long", sleep_long},
	     {"sleep_short", sleep_short},
	     {"poll_timed", poll_timed},
	     {"epoll_timed", epoll_timed},
	     {"epoll_long", epoll_long},
	     {"futex_timed", futex_timed},
	     {"registers", registers},
	     {"vectors", vectors},
	     {"matrices", matrices},
	     {"errno", keeps_errno},
	     {"signals", keeps_signals},
	     {"traps", traps},
	     {"handlers_spin", handlers_spin},
	     {"handlers_suspend", handlers_suspend},
	     {"handlers_epoll", handlers_epoll},
	     {"handlers_read", handlers_read},
	     {"allocates", allocates},
	     {"loads", loads},
	     {"constructor", constructor},
	     {"filter_fine", filter_fine},
	     {"filter_limit", filter_limit},
	     {"filter_kills", filter_kills}};

static void *run(void *kind)
{
	const struct kind *k = kind;

	mine->ready = 1;
	for (;; mine->rounds++)
		k->run();
	return NULL;
}

/* "small": on the smallest stack that a thread can have, while the first thread waits for its end.
 */
static void run_small(const struct kind *k)
{
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 16384);
	if (pthread_create(&t, &a, run, (void *)k))
		exit(1);
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	static char space[65536];
	const stack_t stack = {.ss_sp = space, .ss_size = sizeof space};
	int fd = argc > 2 ? open(argv[2], O_RDWR) : -1;
	sigset_t s;

	mine = mmap(NULL, sizeof *mine, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mine == MAP_FAILED)
		return 1;
	sigaltstack(&stack, NULL);
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	sigprocmask(SIG_BLOCK, &s, NULL);
	raise(SIGUSR1);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		if (argc > 3)
			run_small(&kinds[i]);
		else
			run((void *)&kinds[i]);
	}
	return 2;
}
