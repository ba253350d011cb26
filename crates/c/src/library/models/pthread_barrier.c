/* Barriers. The last thread to arrive passes in one step and is the serial thread; the others arrive in one step and leave in
   another.

   count: how many threads the barrier is for; 0 is a barrier that was destroyed or never initialised.
   state: how many threads wait for the others to arrive; or, negative, how many of a complete round have not left yet.

   Nobody may arrive for the next round before all have left the last one. This costs no behaviour, because a thread that may
   leave always can, and nothing else notices when it does; and it makes a round number unnecessary, which would
   grow without bound.

   Only waiting at a barrier synchronises. */
#include <norn_errno.h>
#include <norn.h>
#include <norn_pthread.h>
#include <norn_types.h>
_Static_assert(sizeof(pthread_barrier_t) == (sizeof(long) == 8 ? 32 : 20), "glibc's size");

int pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attr, unsigned int count) {
    (void)attr;
    if (count == 0 || count > 0x7fffffff)
        return EINVAL;
    __norn_store(barrier->__count, count);
    __norn_store(barrier->__state, 0);
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) {
    int state = __norn_load(barrier->__state);
    __norn_misuse(__norn_load(barrier->__count) != 0, "use of a barrier that is destroyed or not initialised");
    __norn_misuse(state <= 0, "destruction of a barrier at which a thread waits");
    if (state < 0) {
        __norn_section_begin();
        __norn_await(barrier->__state == 0);
        __norn_section_end();
    }
    __norn_store(barrier->__count, 0);
    return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier) {
    _Bool last;
    __norn_section_begin();
    int state = barrier->__state;
    int count = (int)barrier->__count;
    __norn_misuse(count != 0, "use of a barrier that is destroyed or not initialised");
    __norn_await(state >= 0);
    last = state == count - 1;
    barrier->__state = last ? -state : state + 1;
    __norn_release(barrier);
    if (last)
        __norn_acquire(barrier);
    __norn_section_end();
    if (last)
        return PTHREAD_BARRIER_SERIAL_THREAD;

    __norn_section_begin();
    int leaving = barrier->__state;
    __norn_await(leaving < 0);
    barrier->__state = leaving + 1;
    __norn_acquire(barrier);
    __norn_section_end();
    return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr) {
    attr->__bits = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) {
    (void)attr;
    return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *restrict attr, int *restrict shared) {
    *shared = attr->__bits;
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    attr->__bits = shared;
    return 0;
}
