// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread inside each system call that can wait for hours, and no signal in the program: a call
 * that comes back before it is released, with EINTR or otherwise, is told and counted. At the end
 * of its input all are released, as the outside world would do it, and must come back with the
 * right result. Usage: blocked [FOLDER]. Prints "ready N" when all N threads are inside their
 * calls, and "ended ...". */
#include "tried.h"

#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "registers.h"

#define HOUR 3600

struct wait {
	const char *name;
	long (*enter)(struct wait *w);
	void (*release)(struct wait *w); /* NULL: only the thread's end does */
	long expected;			 /* result */
	int fd[2];
	int number;
	int word;
	pid_t child;
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	sem_t semaphore;
	volatile pid_t tid;
	atomic_int released, back;
};

static const char *folder = "/tmp";

static void pipe_of(struct wait *w)
{
	if (pipe(w->fd))
		die("pipe");
}

static void byte_to(struct wait *w)
{
	if (write(w->fd[1], "\n", 1) != 1)
		die("write");
}

static long do_read(struct wait *w)
{
	char c;

	return read(w->fd[0], &c, 1);
}

static long do_readv(struct wait *w)
{
	char c;
	struct iovec one = {&c, 1};

	return readv(w->fd[0], &one, 1);
}

static long do_recv(struct wait *w)
{
	char c;

	return recv(w->fd[0], &c, 1, 0);
}

static long do_recvmsg(struct wait *w)
{
	char c;
	struct iovec one = {&c, 1};
	struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};

	return recvmsg(w->fd[0], &message, 0);
}

static long do_poll(struct wait *w)
{
	struct pollfd one = {w->fd[0], POLLIN, 0};

	return poll(&one, 1, -1);
}

static long do_poll_long(struct wait *w)
{
	struct pollfd one = {w->fd[0], POLLIN, 0};

	return poll(&one, 1, HOUR * 1000);
}

static long do_ppoll(struct wait *w)
{
	struct pollfd one = {w->fd[0], POLLIN, 0};
	struct timespec hour = {HOUR, 0};
	sigset_t none;

	sigemptyset(&none);
	return ppoll(&one, 1, &hour, &none);
}

static long do_select(struct wait *w)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(w->fd[0], &set);
	return select(w->fd[0] + 1, &set, NULL, NULL, NULL);
}

static long do_pselect(struct wait *w)
{
	struct timespec hour = {HOUR, 0};
	sigset_t none;
	fd_set set;

	sigemptyset(&none);
	FD_ZERO(&set);
	FD_SET(w->fd[0], &set);
	return pselect(w->fd[0] + 1, &set, NULL, NULL, &hour, &none);
}

static int epoll_of(struct wait *w)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, w->fd[0], &event);
	return fd;
}

static long do_epoll(struct wait *w)
{
	struct epoll_event event;

	return epoll_wait(epoll_of(w), &event, 1, -1);
}

static long do_epoll_pwait(struct wait *w)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	return epoll_pwait(epoll_of(w), &event, 1, HOUR * 1000, &none);
}

static void connect_to(struct wait *w)
{
	struct sockaddr_in to;
	socklen_t n = sizeof to;

	getsockname(w->fd[0], (struct sockaddr *)&to, &n);
	w->fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(w->fd[1], (struct sockaddr *)&to, n))
		die("connect");
}

static void listener_of(struct wait *w)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	w->fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(w->fd[0], (struct sockaddr *)&at, sizeof at) || listen(w->fd[0], 4))
		die("listen");
}

static long do_accept(struct wait *w)
{
	return accept(w->fd[0], NULL, NULL) < 0 ? -1 : 1;
}

static long do_accept4(struct wait *w)
{
	return accept4(w->fd[0], NULL, NULL, SOCK_CLOEXEC) < 0 ? -1 : 1;
}

/* A full pipe, and a full socket: released by who reads. */
static void fill(struct wait *w)
{
	static char block[4096];

	fcntl(w->fd[1], F_SETFL, O_NONBLOCK);
	while (write(w->fd[1], block, sizeof block) > 0)
		;
	while (write(w->fd[1], block, 1) > 0)
		;
	fcntl(w->fd[1], F_SETFL, 0);
}

static long do_write(struct wait *w)
{
	return write(w->fd[1], "f", 1);
}

static long do_send(struct wait *w)
{
	return send(w->fd[1], "f", 1, 0);
}

static void empty(struct wait *w)
{
	static char block[4096];

	fcntl(w->fd[0], F_SETFL, O_NONBLOCK);
	while (read(w->fd[0], block, sizeof block) > 0)
		;
}

static long do_open_fifo(struct wait *w)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/fifo.%d", folder, (int)getpid());
	mkfifo(path, 0600);
	w->fd[0] = open(path, O_RDONLY);
	unlink(path);
	return w->fd[0] < 0 ? -1 : 1;
}

static void open_other_end(struct wait *w)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/fifo.%d", folder, (int)getpid());
	w->fd[1] = open(path, O_WRONLY);
}

static long do_nanosleep(struct wait *w)
{
	struct timespec hour = {HOUR, 0};

	(void)w;
	return nanosleep(&hour, NULL);
}

static long do_clock_nanosleep(struct wait *w)
{
	struct timespec then;
	int result;

	(void)w;
	clock_gettime(CLOCK_MONOTONIC, &then);
	then.tv_sec += HOUR;
	result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
	errno = result;
	return result ? -1 : 0;
}

static long do_sleep(struct wait *w)
{
	(void)w;
	return (long)sleep(HOUR);
}

static long do_pause(struct wait *w)
{
	(void)w;
	return pause();
}

static long do_sigtimedwait(struct wait *w)
{
	struct timespec hour = {HOUR, 0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, w->number);
	return sigtimedwait(&set, NULL, &hour);
}

static long do_sigwaitinfo(struct wait *w)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, w->number);
	return sigwaitinfo(&set, NULL);
}

static void send_signal(struct wait *w)
{
	syscall(SYS_tgkill, getpid(), w->tid, w->number);
}

static long do_semop(struct wait *w)
{
	struct sembuf one = {0, -1, 0};

	return semop(w->number, &one, 1);
}

static long do_semtimedop(struct wait *w)
{
	struct timespec hour = {HOUR, 0};
	struct sembuf one = {0, -1, 0};

	return semtimedop(w->number, &one, 1, &hour);
}

static void post_semop(struct wait *w)
{
	struct sembuf one = {0, 1, 0};

	semop(w->number, &one, 1);
}

static long do_msgrcv(struct wait *w)
{
	struct {
		long type;
		char text[8];
	} message;

	return msgrcv(w->number, &message, sizeof message.text, 0, 0);
}

static void send_message(struct wait *w)
{
	struct {
		long type;
		char text[8];
	} message = {1, "message"};

	msgsnd(w->number, &message, sizeof message.text, 0);
}

static long do_mq(struct wait *w)
{
	char text[64];

	return mq_receive(w->number, text, sizeof text, NULL);
}

static void send_mq(struct wait *w)
{
	mq_send(w->number, "m", 1, 0);
}

static long do_futex(struct wait *w)
{
	return syscall(SYS_futex, &w->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static long do_futex_long(struct wait *w)
{
	struct timespec hour = {HOUR, 0};

	return syscall(SYS_futex, &w->word, FUTEX_WAIT_PRIVATE, 0, &hour, NULL, 0);
}

static void wake_futex(struct wait *w)
{
	syscall(SYS_futex, &w->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static long do_condition(struct wait *w)
{
	pthread_mutex_lock(&w->mutex);
	while (!w->word)
		pthread_cond_wait(&w->condition, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
	return 0;
}

static void signal_condition(struct wait *w)
{
	pthread_mutex_lock(&w->mutex);
	w->word = 1;
	pthread_cond_signal(&w->condition);
	pthread_mutex_unlock(&w->mutex);
}

static long do_mutex(struct wait *w)
{
	errno = pthread_mutex_lock(&w->mutex);
	return errno ? -1 : 0;
}

static void unlock(struct wait *w)
{
	pthread_mutex_unlock(&w->mutex);
}

static long do_sem_wait(struct wait *w)
{
	return sem_wait(&w->semaphore);
}

static long do_sem_timedwait(struct wait *w)
{
	struct timespec then;

	clock_gettime(CLOCK_REALTIME, &then);
	then.tv_sec += HOUR;
	return sem_timedwait(&w->semaphore, &then);
}

static void post(struct wait *w)
{
	sem_post(&w->semaphore);
}

static long do_waitpid(struct wait *w)
{
	return waitpid(w->child, NULL, 0) == w->child ? 1 : -1;
}

static long do_waitid(struct wait *w)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)w->child, &info, WEXITED);
}

static void end_child(struct wait *w)
{
	kill(w->child, SIGKILL);
}

static int unnamed_file(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/lock.XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		die("mkstemp");
	unlink(path);
	return fd;
}

static int opened_again(int fd)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

static long do_flock(struct wait *w)
{
	return flock(w->fd[0], LOCK_EX);
}

static void unlock_flock(struct wait *w)
{
	flock(w->fd[1], LOCK_UN);
}

static long do_setlkw(struct wait *w)
{
	struct flock lock = {.l_type = F_WRLCK};

	return fcntl(w->fd[0], F_OFD_SETLKW, &lock);
}

static void unlock_ofd(struct wait *w)
{
	struct flock lock = {.l_type = F_UNLCK};

	fcntl(w->fd[1], F_OFD_SETLK, &lock);
}

static long do_splice(struct wait *w)
{
	int to[2];

	if (pipe(to))
		die("pipe");
	return splice(w->fd[0], NULL, to[1], NULL, 1, 0);
}

static long do_eight(struct wait *w)
{
	uint64_t eight;

	return read(w->fd[0], &eight, sizeof eight);
}

static void write_eight(struct wait *w)
{
	uint64_t one = 1;

	if (write(w->fd[0], &one, sizeof one) != sizeof one)
		die("write");
}

static void fire_timer(struct wait *w)
{
	struct itimerspec now = {.it_value.tv_nsec = 1};

	timerfd_settime(w->fd[0], 0, &now, NULL);
}

static long do_inotify(struct wait *w)
{
	char events[4096];

	return read(w->fd[0], events, sizeof events) > 0;
}

static void touch_watched(struct wait *w)
{
	fchmod(w->fd[1], 0640);
}

/* Vectors are held over the waiting: a thousand seconds are made of short naps. */
static long do_vectors(struct wait *w)
{
	for (unsigned seed = 1; !w->released; seed++)
		check_vectors(w->name, seed, 20, 1000);
	return 0;
}

static void no_release(struct wait *w)
{
	(void)w;
}

#define WAIT(NAME, ENTER, RELEASE, EXPECTED)                                                       \
	{                                                                                          \
		.name = NAME, .enter = ENTER, .release = RELEASE, .expected = EXPECTED             \
	}
static struct wait waits[] = {
	WAIT("read of a pipe", do_read, byte_to, 1),
	WAIT("readv", do_readv, byte_to, 1),
	WAIT("read of a terminal", do_read, byte_to, 1),
	WAIT("read of a socket", do_read, byte_to, 1),
	WAIT("recv", do_recv, byte_to, 1),
	WAIT("recvmsg", do_recvmsg, byte_to, 1),
	WAIT("read of an eventfd", do_eight, write_eight, 8),
	WAIT("read of a timerfd", do_eight, fire_timer, 8),
	WAIT("read of inotify", do_inotify, touch_watched, 1),
	WAIT("write to a full pipe", do_write, empty, 1),
	WAIT("send to a full socket", do_send, empty, 1),
	WAIT("open of a fifo", do_open_fifo, open_other_end, 1),
	WAIT("poll", do_poll, byte_to, 1),
	WAIT("poll with a limit", do_poll_long, byte_to, 1),
	WAIT("ppoll", do_ppoll, byte_to, 1),
	WAIT("select", do_select, byte_to, 1),
	WAIT("pselect", do_pselect, byte_to, 1),
	WAIT("epoll_wait", do_epoll, byte_to, 1),
	WAIT("epoll_pwait", do_epoll_pwait, byte_to, 1),
	WAIT("accept", do_accept, connect_to, 1),
	WAIT("accept4", do_accept4, connect_to, 1),
	WAIT("nanosleep", do_nanosleep, NULL, 0),
	WAIT("clock_nanosleep", do_clock_nanosleep, NULL, 0),
	WAIT("sleep", do_sleep, NULL, 0),
	WAIT("pause", do_pause, NULL, 0),
	WAIT("sigtimedwait", do_sigtimedwait, send_signal, 0),
	WAIT("sigwaitinfo", do_sigwaitinfo, send_signal, 0),
	WAIT("semop", do_semop, post_semop, 0),
	WAIT("semtimedop", do_semtimedop, post_semop, 0),
	WAIT("msgrcv", do_msgrcv, send_message, 8),
	WAIT("mq_receive", do_mq, send_mq, 1),
	WAIT("futex", do_futex, wake_futex, 0),
	WAIT("futex with a limit", do_futex_long, wake_futex, 0),
	WAIT("pthread_cond_wait", do_condition, signal_condition, 0),
	WAIT("pthread_mutex_lock", do_mutex, unlock, 0),
	WAIT("sem_wait", do_sem_wait, post, 0),
	WAIT("sem_timedwait", do_sem_timedwait, post, 0),
	WAIT("waitpid", do_waitpid, end_child, 1),
	WAIT("waitid", do_waitid, end_child, 0),
	WAIT("flock", do_flock, unlock_flock, 0),
	WAIT("fcntl(F_OFD_SETLKW)", do_setlkw, unlock_ofd, 0),
	WAIT("splice", do_splice, byte_to, 1),
	WAIT("held registers", do_vectors, no_release, 0),
};
#define WAITS ((int)(sizeof waits / sizeof *waits))

static void prepare_calls(struct wait *w)
{
	struct flock lock = {.l_type = F_WRLCK};
	struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 64};
	char name[64];

	if (w->enter == do_semop || w->enter == do_semtimedop) {
		w->number = semget(IPC_PRIVATE, 1, 0600);
	} else if (w->enter == do_msgrcv) {
		w->number = msgget(IPC_PRIVATE, 0600);
	} else if (w->enter == do_mq) {
		snprintf(name, sizeof name, "/blocked.%d", (int)getpid());
		w->number = mq_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600, &attributes);
		mq_unlink(name);
	} else if (w->enter == do_mutex) {
		pthread_mutex_lock(&w->mutex);
	} else if (w->enter == do_flock || w->enter == do_setlkw) {
		w->fd[1] = unnamed_file();
		w->fd[0] = opened_again(w->fd[1]);
		if (w->enter == do_flock ? flock(w->fd[1], LOCK_EX)
					 : fcntl(w->fd[1], F_OFD_SETLK, &lock))
			die("lock");
	} else if (w->enter == do_sigtimedwait || w->enter == do_sigwaitinfo) {
		w->expected = w->number = SIGRTMIN + 5 + (w->enter == do_sigwaitinfo);
	}
}

static void prepare_descriptors(struct wait *w)
{
	char path[64];

	if (w->enter == do_accept || w->enter == do_accept4) {
		listener_of(w);
	} else if (strstr(w->name, "terminal")) {
		w->fd[1] = posix_openpt(O_RDWR | O_NOCTTY);
		if (w->fd[1] < 0 || grantpt(w->fd[1]) || unlockpt(w->fd[1]))
			die("posix_openpt");
		w->fd[0] = open(ptsname(w->fd[1]), O_RDWR | O_NOCTTY);
	} else if (strstr(w->name, "eventfd")) {
		w->fd[0] = eventfd(0, 0);
	} else if (strstr(w->name, "timerfd")) {
		w->fd[0] = timerfd_create(CLOCK_MONOTONIC, 0);
	} else if (strstr(w->name, "inotify")) {
		w->fd[0] = inotify_init1(0);
		w->fd[1] = unnamed_file();
		snprintf(path, sizeof path, "/proc/self/fd/%d", w->fd[1]);
		inotify_add_watch(w->fd[0], path, IN_ATTRIB);
	} else if (strstr(w->name, "socket") || !strncmp(w->name, "recv", 4)) {
		make_pair(w->fd);
	} else {
		pipe_of(w);
	}
	if (strstr(w->name, "full"))
		fill(w);
}

static void prepare(struct wait *w)
{
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->condition, NULL);
	sem_init(&w->semaphore, 0, 0);
	if (w->enter == do_flock || w->enter == do_setlkw || w->enter == do_semop ||
	    w->enter == do_semtimedop || w->enter == do_msgrcv || w->enter == do_mq ||
	    w->enter == do_mutex || w->enter == do_sigtimedwait || w->enter == do_sigwaitinfo)
		prepare_calls(w);
	else
		prepare_descriptors(w);
	if (w->enter == do_waitpid || w->enter == do_waitid) {
		w->child = fork();
		if (w->child == 0)
			for (;;)
				pause();
	}
}

static void *live(void *argument)
{
	struct wait *w = argument;
	long result;

	w->tid = (pid_t)syscall(SYS_gettid);
	errno = 0;
	result = w->enter(w);
	if (!w->released) {
		check_not_interrupted(w->name, result);
		wrong(w->name, "came back early: %ld, errno %d", result, errno);
	} else if (result != w->expected) {
		wrong(w->name, "%ld instead of %ld, errno %d", result, w->expected, errno);
	}
	w->back = 1;
	return NULL;
}

/* Asleep, as the kernel says: a thread that has not come to its call yet runs, or will. */
static int is_asleep(const struct wait *w)
{
	char path[64], line[512] = "";
	const char *state;
	int fd;

	if (!w->tid)
		return 0;
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)w->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, line, sizeof line - 1) < 0)
		line[0] = 0;
	close(fd);
	state = strrchr(line, ')');
	return state && (state[2] == 'S' || w->enter == do_vectors);
}

static void await_all(void)
{
	for (int quiet = 0; quiet < 3; quiet++) {
		for (int i = 0; i < WAITS; i++)
			if (!waits[i].back && !is_asleep(&waits[i]))
				quiet = 0;
		usleep(20000);
	}
}

static int release_all(void)
{
	int left = 0;

	for (int i = 0; i < WAITS; i++) {
		if (!waits[i].release || waits[i].back)
			continue;
		waits[i].released = 1;
		waits[i].release(&waits[i]);
	}
	for (int round = 0; round < 6000; round++, usleep(10000)) {
		left = 0;
		for (int i = 0; i < WAITS; i++)
			left += waits[i].release && !waits[i].back;
		if (!left)
			break;
	}
	for (int i = 0; i < WAITS; i++)
		if (waits[i].release && !waits[i].back)
			wrong(waits[i].name, "does not come back when it is released");
	return left;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t own;
	char c;
	long n;

	if (argc > 1)
		folder = argv[1];
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&own);
	sigaddset(&own, SIGRTMIN + 5);
	sigaddset(&own, SIGRTMIN + 6);
	pthread_sigmask(SIG_BLOCK, &own, NULL);
	for (int i = 0; i < WAITS; i++)
		prepare(&waits[i]);
	for (int i = 0; i < WAITS; i++)
		if (pthread_create(&thread, NULL, live, &waits[i]))
			die("pthread_create");
	await_all();
	say("ready %d\n", WAITS);
	do {
		n = read(0, &c, 1);
		check_not_interrupted("read of the input", n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	release_all();
	for (int i = 0; i < WAITS; i++) {
		if (waits[i].enter == do_semop || waits[i].enter == do_semtimedop)
			semctl(waits[i].number, 0, IPC_RMID);
		else if (waits[i].enter == do_msgrcv)
			msgctl(waits[i].number, IPC_RMID, NULL);
	}
	say("ended: %d calls, EINTR %ld, wrong %ld\n", WAITS, eintr_count, wrong_count);
	syscall(SYS_exit_group, wrong_count != 0);
}
