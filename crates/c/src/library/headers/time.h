#ifndef __NORN_TIME_H
#define __NORN_TIME_H
#include <features.h>
#include <sys/types.h>
#ifndef __NORN_TIMESPEC
#define __NORN_TIMESPEC
struct timespec { time_t tv_sec; long tv_nsec; };
#endif
struct itimerspec { struct timespec it_interval, it_value; };
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define TIMER_ABSTIME 1
#define TIME_UTC 1
time_t time(time_t *result);
clock_t clock(void);
double difftime(time_t later, time_t earlier);
int clock_gettime(clockid_t clock, struct timespec *result);
int clock_getres(clockid_t clock, struct timespec *result);
int clock_settime(clockid_t clock, const struct timespec *value);
int timespec_get(struct timespec *result, int base);
int nanosleep(const struct timespec *duration, struct timespec *rest);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *rest);
time_t mktime(struct tm *value);
time_t timegm(struct tm *value);
struct tm *gmtime(const time_t *value);
struct tm *gmtime_r(const time_t *restrict value, struct tm *restrict result);
struct tm *localtime(const time_t *value);
struct tm *localtime_r(const time_t *restrict value, struct tm *restrict result);
char *asctime(const struct tm *value);
char *ctime(const time_t *value);
char *asctime_r(const struct tm *restrict value, char *restrict to);
char *ctime_r(const time_t *restrict value, char *restrict to);
size_t strftime(char *restrict to, size_t size, const char *restrict format, const struct tm *restrict value);
#endif
