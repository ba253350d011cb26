/* Attributes of mutexes: the type in bits 0–1, shared in bit 2, the protocol in bits 3–4, the priority ceiling in bits 8–15;
   negative once destroyed. Only the type has an effect: the protocol changes nothing but priorities. */
#include <norn_errno.h>
#include <norn.h>
#include <norn_pthread.h>

/* In mutex_kinds.c. */
void __norn_mutex_kinds(void);

_Static_assert(sizeof(pthread_mutexattr_t) == 4, "glibc's size");

static int get(const pthread_mutexattr_t *attr, int shift, int mask) {
    int bits = attr->__bits;
    __norn_misuse(bits >= 0, "use of a mutex attribute object that is destroyed or not initialised");
    return bits >> shift & mask;
}

static int set(pthread_mutexattr_t *attr, int shift, int mask, int value, int most) {
    int bits = attr->__bits;
    __norn_misuse(bits >= 0, "use of a mutex attribute object that is destroyed or not initialised");
    if (value < 0 || value > most)
        return EINVAL;
    attr->__bits = (bits & ~(mask << shift)) | value << shift;
    return 0;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
    attr->__bits = 0;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) {
    attr->__bits = -1;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *restrict attr, int *restrict type) {
    *type = get(attr, 0, 3);
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type) {
    __norn_mutex_kinds();
    return set(attr, 0, 3, type, PTHREAD_MUTEX_ADAPTIVE_NP);
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *restrict attr, int *restrict shared) {
    *shared = get(attr, 2, 1);
    return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) {
    return set(attr, 2, 1, shared, 1);
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *restrict attr, int *restrict protocol) {
    *protocol = get(attr, 3, 3);
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol) {
    return set(attr, 3, 3, protocol, PTHREAD_PRIO_PROTECT);
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *restrict attr, int *restrict ceiling) {
    *ceiling = get(attr, 8, 255);
    return 0;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling) {
    return set(attr, 8, 255, ceiling, 255);
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *restrict attr, int *restrict robust) {
    *robust = get(attr, 0, 0);
    return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust) {
    if (robust == PTHREAD_MUTEX_ROBUST)
        __norn_unsupported("robust mutexes are not supported");
    return set(attr, 0, 0, 0, 0) || robust != PTHREAD_MUTEX_STALLED ? EINVAL : 0;
}
