/* Sleeping and yielding are no steps: any other thread may run at any time anyway. Sleeping is a cancellation point. */
#include <norn_cancel.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

unsigned int sleep(unsigned int seconds) {
    (void)seconds;
    __model_cancellation_point();
    return 0;
}

int usleep(useconds_t microseconds) {
    (void)microseconds;
    __model_cancellation_point();
    return 0;
}

int nanosleep(const struct timespec *duration, struct timespec *rest) {
    (void)duration;
    (void)rest;
    __model_cancellation_point();
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *rest) {
    (void)clock;
    (void)flags;
    (void)duration;
    (void)rest;
    __model_cancellation_point();
    return 0;
}

int sched_yield(void) {
    return 0;
}

int sched_get_priority_max(int policy) {
    return policy == SCHED_FIFO || policy == SCHED_RR ? 99 : 0;
}

int sched_get_priority_min(int policy) {
    return policy == SCHED_FIFO || policy == SCHED_RR ? 1 : 0;
}
