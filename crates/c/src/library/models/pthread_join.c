/* Waiting for threads, and their identity. */
#include <norn_errno.h>
#include <norn.h>
#include <norn_pthread.h>

/* In thread_states.c, which knows the first 64 threads. */
_Bool __norn_let_thread_go(pthread_t thread);

int pthread_join(pthread_t thread, void **value) {
    if (thread == __norn_self())
        return EDEADLK;
    __norn_misuse(__norn_let_thread_go(thread), "join of a thread that is detached or was joined before");
    __norn_fence_call();
    void *result = __norn_join(thread);
    if (thread >= 64)
        __norn_unsupported("joining a thread after the 64th");
    if (value)
        *value = result;
    return 0;
}

int pthread_detach(pthread_t thread) {
    __norn_misuse(__norn_let_thread_go(thread), "detaching of a thread that is detached or was joined before");
    return 0;
}

pthread_t pthread_self(void) {
    return __norn_self();
}

int pthread_equal(pthread_t a, pthread_t b) {
    return a == b;
}
