/* Calls that change nothing that a program can rely on. */
#include <norn_errno.h>
#include <norn_pthread.h>
#include <norn_sched.h>

int pthread_getconcurrency(void) {
    return 0;
}

int pthread_setconcurrency(int level) {
    return level < 0 ? EINVAL : 0;
}

int pthread_getschedparam(pthread_t thread, int *restrict policy, struct sched_param *restrict param) {
    (void)thread;
    *policy = SCHED_OTHER;
    param->sched_priority = 0;
    return 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param) {
    (void)thread;
    (void)policy;
    (void)param;
    return 0;
}

int pthread_setschedprio(pthread_t thread, int priority) {
    (void)thread;
    (void)priority;
    return 0;
}

int pthread_yield(void) {
    return 0;
}

int pthread_setname_np(pthread_t thread, const char *name) {
    (void)thread;
    (void)name;
    return 0;
}
