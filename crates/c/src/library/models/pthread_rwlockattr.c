/* Attributes of read-write locks. A lock that prefers writers is not supported; the rest has no effect. */
#include <norn_errno.h>
#include <norn_pthread.h>

_Static_assert(sizeof(pthread_rwlockattr_t) == 8, "glibc's size");

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr) {
    attr->__kind = PTHREAD_RWLOCK_DEFAULT_NP;
    attr->__shared = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr) {
    (void)attr;
    return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *restrict attr, int *restrict shared) {
    *shared = attr->__shared;
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    attr->__shared = shared;
    return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *restrict attr, int *restrict kind) {
    *kind = attr->__kind;
    return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind) {
    if (kind < 0 || kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        return EINVAL;
    attr->__kind = kind;
    return 0;
}
