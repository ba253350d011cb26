#ifndef __NORN_UNISTD_H
#define __NORN_UNISTD_H
#include <features.h>
#include <stddef.h>
#include <sys/types.h>
typedef __INTPTR_TYPE__ intptr_t;
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _POSIX_VERSION 200809L
#define _POSIX2_VERSION 200809L
#define _POSIX_THREADS 200809L
#define _POSIX_BARRIERS 200809L
#define _POSIX_SEMAPHORES 200809L
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE _SC_PAGESIZE
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_ARG_MAX 0
#define _SC_CLK_TCK 2
#define _SC_OPEN_MAX 4
#define _SC_THREAD_KEYS_MAX 74
#define _SC_THREAD_STACK_MIN 75
#define _SC_THREAD_THREADS_MAX 76
#define _SC_PHYS_PAGES 85
#define _SC_AVPHYS_PAGES 86
#define _SC_IOV_MAX 60
#define _SC_HOST_NAME_MAX 180
#define _SC_LEVEL1_DCACHE_LINESIZE 190
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define F_ULOCK 0
#define F_LOCK 1
#define F_TLOCK 2
#define F_TEST 3
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t microseconds);
pid_t getpid(void);
pid_t getppid(void);
long sysconf(int name);
_Noreturn void _exit(int status);
unsigned int alarm(unsigned int seconds);
/* No model: a call of these is reported by name. */
int pause(void);
int close(int descriptor);
ssize_t read(int descriptor, void *to, size_t size);
ssize_t write(int descriptor, const void *from, size_t size);
off_t lseek(int descriptor, off_t offset, int whence);
int pipe(int descriptors[2]);
int dup(int descriptor);
int dup2(int from, int to);
int access(const char *path, int mode);
int unlink(const char *path);
int isatty(int descriptor);
pid_t fork(void);
pid_t vfork(void);
pid_t gettid(void);
long syscall(long number, ...);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int setuid(uid_t user);
int setgid(gid_t group);
pid_t setsid(void);
pid_t getpgrp(void);
pid_t getpgid(pid_t process);
int setpgid(pid_t process, pid_t group);
int nice(int increment);
int pipe2(int descriptors[2], int flags);
int dup3(int from, int to, int flags);
ssize_t pread(int descriptor, void *to, size_t size, off_t offset);
ssize_t pwrite(int descriptor, const void *from, size_t size, off_t offset);
int ftruncate(int descriptor, off_t length);
int truncate(const char *path, off_t length);
int fsync(int descriptor);
int fdatasync(int descriptor);
void sync(void);
int lockf(int descriptor, int command, off_t length);
int rmdir(const char *path);
int link(const char *from, const char *to);
int symlink(const char *from, const char *to);
ssize_t readlink(const char *restrict path, char *restrict to, size_t size);
int chdir(const char *path);
int chown(const char *path, uid_t user, gid_t group);
char *getcwd(char *to, size_t size);
int gethostname(char *to, size_t size);
int getpagesize(void);
int daemon(int stay, int keep);
void *sbrk(ptrdiff_t increment);
int brk(void *address);
char *ttyname(int descriptor);
long pathconf(const char *path, int name);
long fpathconf(int descriptor, int name);
int execl(const char *path, const char *argument, ...);
int execle(const char *path, const char *argument, ...);
int execlp(const char *file, const char *argument, ...);
int execve(const char *path, char *const arguments[], char *const environment[]);
int execv(const char *path, char *const arguments[]);
int execvp(const char *file, char *const arguments[]);
int getopt(int count, char *const arguments[], const char *options);
extern char *optarg;
extern int optind, opterr, optopt;
#ifdef _GNU_SOURCE
extern char **environ;
#endif
#endif
