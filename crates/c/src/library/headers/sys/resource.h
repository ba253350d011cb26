#ifndef __NORN_SYS_RESOURCE_H
#define __NORN_SYS_RESOURCE_H
#include <features.h>
#include <sys/time.h>
#define PRIO_MIN (-20)
#define RUSAGE_CHILDREN (-1)
#define PRIO_PROCESS 0
#define RLIMIT_CPU 0
#define RUSAGE_SELF 0
#define PRIO_PGRP 1
#define RLIMIT_FSIZE 1
#define RUSAGE_LWP 1
#define RUSAGE_THREAD 1
#define PRIO_USER 2
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_CORE 4
#define RLIMIT_RSS 5
#define RLIMIT_NPROC 6
#define RLIMIT_NOFILE 7
#define RLIMIT_OFILE 7
#define RLIMIT_MEMLOCK 8
#define RLIMIT_AS 9
#define RLIMIT_LOCKS 10
#define RLIMIT_SIGPENDING 11
#define RLIMIT_MSGQUEUE 12
#define RLIMIT_NICE 13
#define RLIMIT_RTPRIO 14
#define RLIMIT_RTTIME 15
#define RLIMIT_NLIMITS 16
#define PRIO_MAX 20
typedef unsigned long rlim_t;
#define RLIM_INFINITY ((rlim_t)-1)
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct rusage {
    struct timeval ru_utime, ru_stime;
    long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock;
    long ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
/* No model: a call of these is reported by name. */
int getrlimit(int resource, struct rlimit *result);
int setrlimit(int resource, const struct rlimit *limit);
int getrusage(int who, struct rusage *result);
int getpriority(int which, id_t who);
int setpriority(int which, id_t who, int value);
#endif
