#ifndef __NORN_SIGNAL_H
#define __NORN_SIGNAL_H
#include <features.h>
/* No signal is ever sent: see models/signal.c. */
#include <sys/types.h>
#include <time.h>
typedef int sig_atomic_t;
typedef struct { unsigned long __bits[1024 / (8 * sizeof(unsigned long))]; } sigset_t;
union sigval { int sival_int; void *sival_ptr; };
typedef struct { int si_signo, si_errno, si_code; pid_t si_pid; uid_t si_uid; void *si_addr; union sigval si_value; } siginfo_t;
typedef void (*__sighandler_t)(int);
struct sigaction {
    union { __sighandler_t sa_handler; void (*sa_sigaction)(int, siginfo_t *, void *); };
    sigset_t sa_mask;
    int sa_flags;
    void (*sa_restorer)(void);
};
#define SIG_ERR ((__sighandler_t)-1)
#define SIG_DFL ((__sighandler_t)0)
#define SIG_IGN ((__sighandler_t)1)
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#define SIGCONT 18
#define SIGSTOP 19
#define SIGSTKFLT 16
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGURG 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGIO 29
#define SIGPOLL SIGIO
#define SIGPWR 30
#define SIGSYS 31
#define SIGIOT SIGABRT
#define SIGCLD SIGCHLD
#define SIGRTMIN 34
#define SIGRTMAX 64
#define _NSIG 65
#define NSIG _NSIG
#define SIGEV_SIGNAL 0
#define SIGEV_NONE 1
#define SIGEV_THREAD 2
#define SIGEV_THREAD_ID 4
#define SI_USER 0
#define SI_QUEUE (-1)
#define SI_TIMER (-2)
#define SI_TKILL (-6)
#define SI_KERNEL 128
#define SEGV_MAPERR 1
#define SEGV_ACCERR 2
#define FPE_INTDIV 1
#define SS_ONSTACK 1
#define SS_DISABLE 2
#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192
#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_ONSTACK 0x8000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
typedef __sighandler_t sighandler_t;
typedef struct { void *ss_sp; int ss_flags; size_t ss_size; } stack_t;
struct sigevent {
    union sigval sigev_value;
    int sigev_signo, sigev_notify;
    void (*sigev_notify_function)(union sigval);
    void *sigev_notify_attributes;
};
#define SA_SIGINFO 4
#define SA_RESTART 0x10000000
__sighandler_t signal(int number, __sighandler_t handler);
int raise(int number);
int kill(pid_t process, int number);
int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigdelset(sigset_t *set, int number);
int sigismember(const sigset_t *set, int number);
int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old);
int sigsuspend(const sigset_t *set);
int sigwait(const sigset_t *restrict set, int *restrict number);
int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old);
int sigpending(sigset_t *set);
int sigaltstack(const stack_t *restrict stack, stack_t *restrict old);
int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info);
int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict timeout);
int sigqueue(pid_t process, int number, const union sigval value);
int killpg(pid_t group, int number);
int siginterrupt(int number, int flag);
int pthread_kill(pthread_t thread, int number);
#endif
