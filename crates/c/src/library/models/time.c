/* Clocks show any time, also an earlier one than before: nothing is known about how fast a program runs. Clocks that never go
   back show each thread no earlier time than it has seen before. */
#include <norn.h>
#include <sys/time.h>
#include <time.h>

long __norn_nondet_seconds(void);
long __norn_nondet_fraction(void);
clock_t __norn_nondet_clock(void);

static long seconds(void) {
    long value = __norn_nondet_seconds();
    __norn_assume(value >= 0);
    return value;
}

static long fraction(long units) {
    long value = __norn_nondet_fraction();
    __norn_assume(value >= 0 && value < units);
    return value;
}

time_t time(time_t *result) {
    time_t value = seconds();
    if (result)
        *result = value;
    return value;
}

clock_t clock(void) {
    clock_t value = __norn_nondet_clock();
    __norn_assume(value >= 0);
    return value;
}

double difftime(time_t later, time_t earlier) {
    return (double)later - (double)earlier;
}

#define CLOCKS 8
static _Thread_local long last_seconds[CLOCKS], last_fraction[CLOCKS];

static _Bool goes_back(clockid_t clock) {
    return clock <= CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock >= CLOCKS;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    long sec = seconds(), nsec = fraction(1000000000);
    if (!goes_back(clock)) {
        __norn_assume(sec > last_seconds[clock] || (sec == last_seconds[clock] && nsec >= last_fraction[clock]));
        last_seconds[clock] = sec;
        last_fraction[clock] = nsec;
    }
    result->tv_sec = sec;
    result->tv_nsec = nsec;
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *result) {
    (void)clock;
    if (result) {
        result->tv_sec = 0;
        result->tv_nsec = 1;
    }
    return 0;
}

int timespec_get(struct timespec *result, int base) {
    clock_gettime(CLOCK_REALTIME, result);
    return base;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    result->tv_sec = seconds();
    result->tv_usec = fraction(1000000);
    return 0;
}
