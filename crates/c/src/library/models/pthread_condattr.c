/* Attributes of condition variables: the clock in bits 0–3, shared in bit 4. They have no effect. */
#include <norn_errno.h>
#include <norn_pthread.h>
#include <time.h>
_Static_assert(sizeof(pthread_condattr_t) == 4, "glibc's size");

int pthread_condattr_init(pthread_condattr_t *attr) {
    attr->__bits = 0;
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr) {
    attr->__bits = 0;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *restrict attr, clockid_t *restrict clock) {
    *clock = attr->__bits & 15;
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    attr->__bits = (attr->__bits & ~15) | clock;
    return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *restrict attr, int *restrict shared) {
    *shared = attr->__bits >> 4 & 1;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    attr->__bits = (attr->__bits & ~16) | shared << 4;
    return 0;
}
