#ifndef __NORN_SYS_TIME_H
#define __NORN_SYS_TIME_H
#include <features.h>
#include <sys/types.h>
#ifndef __NORN_TIMESPEC
#define __NORN_TIMESPEC
struct timespec { time_t tv_sec; long tv_nsec; };
#endif
struct timezone { int tz_minuteswest, tz_dsttime; };
int gettimeofday(struct timeval *restrict result, void *restrict zone);
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timercmp(a, b, CMP) \
    ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec CMP (b)->tv_usec : (a)->tv_sec CMP (b)->tv_sec)
#define timeradd(a, b, result) do { \
    (result)->tv_sec = (a)->tv_sec + (b)->tv_sec; \
    (result)->tv_usec = (a)->tv_usec + (b)->tv_usec; \
    if ((result)->tv_usec >= 1000000) { \
        (result)->tv_sec++; \
        (result)->tv_usec -= 1000000; \
    } \
} while (0)
#define timersub(a, b, result) do { \
    (result)->tv_sec = (a)->tv_sec - (b)->tv_sec; \
    (result)->tv_usec = (a)->tv_usec - (b)->tv_usec; \
    if ((result)->tv_usec < 0) { \
        (result)->tv_sec--; \
        (result)->tv_usec += 1000000; \
    } \
} while (0)
#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2
struct itimerval { struct timeval it_interval, it_value; };
/* No model: a call of these is reported by name. */
int setitimer(int which, const struct itimerval *restrict value, struct itimerval *restrict old);
int getitimer(int which, struct itimerval *value);
int settimeofday(const struct timeval *value, const struct timezone *zone);
int utimes(const char *path, const struct timeval times[2]);
#endif
