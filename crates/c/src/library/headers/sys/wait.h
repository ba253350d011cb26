#ifndef __NORN_SYS_WAIT_H
#define __NORN_SYS_WAIT_H
#include <features.h>
#include <sys/types.h>
#include <signal.h>
#define WNOHANG 1
#define WSTOPPED 2
#define WUNTRACED 2
#define WEXITED 4
#define WCONTINUED 8
#define WNOWAIT 0x1000000
#define WEXITSTATUS(status) (((status) >> 8) & 255)
#define WTERMSIG(status) ((status) & 127)
#define WSTOPSIG(status) WEXITSTATUS(status)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSIGNALED(status) (((status) & 255) != 127 && WTERMSIG(status) != 0)
#define WIFSTOPPED(status) (((status) & 255) == 127)
#define WIFCONTINUED(status) ((status) == 65535)
#define WCOREDUMP(status) ((status) & 128)
typedef enum { P_ALL, P_PID, P_PGID, P_PIDFD } idtype_t;
/* No model: a call of these is reported by name. */
pid_t wait(int *status);
pid_t waitpid(pid_t process, int *status, int options);
int waitid(idtype_t kind, id_t id, siginfo_t *info, int options);
#endif
