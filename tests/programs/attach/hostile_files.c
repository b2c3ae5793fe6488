// SPDX-License-Identifier: GPL-3.0-or-later
/* hostile_files VICTIM: once it is recorded it finds the folder of its profile in its own memory
 * map, and lays links to VICTIM, pipes, folders, huge and cut files there, under the names of
 * profiles and of what the tool makes. Then it goes on, and cuts its own profile again and again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int find_profile(char path[512])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024], *at;
	int found = 0;

	while (!found && maps && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		at = strchr(line, '/');
		if (!at || strlen(at) < 5 || strlen(at) >= 512 ||
		    strcmp(at + strlen(at) - 4, ".scp") != 0)
			continue;
		strcpy(path, at);
		found = 1;
	}
	if (maps)
		fclose(maps);
	return found;
}

static void lay(const char *victim)
{
	int fd;

	(void)!symlink(victim, "scprof.link.1.scp");
	(void)!symlink("/dev/zero", "scprof.zero.1.scp");
	mkfifo("scprof.pipe.1.scp", 0666);
	mkdir("scprof.folder.1.scp", 0777);
	(void)!symlink("/proc/self/mem", "scprof.memory.1.scp");
	(void)!link(victim, "scprof.hard.1.scp");
	fd = open("scprof.\033[2J\nhuge.1.scp", O_RDWR | O_CREAT, 0600);
	(void)!write(fd, "SCPROF1\n", 8);
	(void)!ftruncate(fd, (off_t)1 << 40);
	close(fd);
	for (int i = 0; i < 2000; i++) {
		char name[64];

		snprintf(name, sizeof(name), "scprof.many.%d.scp", i);
		close(open(name, O_RDWR | O_CREAT, 0600));
	}
	(void)!symlink(victim, ".scprof.1.new");
	(void)!symlink(victim, "control");
}

int main(int argc, char **argv)
{
	char path[512], byte, *slash;
	int fd = open("/dev/zero", O_RDWR), laid = 0;

	puts("begun");
	fflush(stdout);
	for (unsigned i = 0;; i++) {
		if (argc < 2 || read(fd, &byte, 1) != 1)
			return 1;
		usleep(100);
		if (i % 64 || (!laid && !find_profile(path)))
			continue;
		slash = strrchr(path, '/');
		if (!laid) {
			*slash = '\0';
			if (chdir(path))
				return 1;
			*slash = '/';
			lay(argv[1]);
			puts("laid");
			fflush(stdout);
		}
		laid = 1;
	}
}
