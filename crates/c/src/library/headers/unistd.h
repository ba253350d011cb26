#ifndef __NORN_UNISTD_H
#define __NORN_UNISTD_H
#include <stddef.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _POSIX_THREADS 200809L
#define _POSIX_BARRIERS 200809L
#define _POSIX_SEMAPHORES 200809L
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE _SC_PAGESIZE
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t microseconds);
pid_t getpid(void);
pid_t getppid(void);
long sysconf(int name);
_Noreturn void _exit(int status);
/* No model: a call of these is reported by name. */
unsigned int alarm(unsigned int seconds);
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
int execv(const char *path, char *const arguments[]);
int execvp(const char *file, char *const arguments[]);
int getopt(int count, char *const arguments[], const char *options);
extern char *optarg;
extern int optind, opterr, optopt;
#ifdef _GNU_SOURCE
extern char **environ;
#endif
#endif
