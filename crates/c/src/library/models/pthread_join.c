/* Waiting for threads, and their identity. */
#include <norn_cancel.h>
#include <norn_errno.h>

/* In thread_states.c, which knows the first 64 threads. */
_Bool __norn_let_thread_go(pthread_t thread);

/* Waits until the thread has ended or the caller is cancelled; then the thread can still be joined. */
static void wait_or_act(pthread_t thread) {
    if (thread == 0 || thread >= 64)
        __norn_unsupported("joining the first thread or one after the 64th in a program with cancellation");
    _Bool must = __model_is_cancelled();
    __norn_section_begin();
    _Bool cancelled = __model_is_cancelled(), ended = __model_has_ended(thread);
    __norn_await(cancelled || ended);
    __norn_section_end();
    if (__model_acts(cancelled, must || !ended))
        __model_act();
}

int pthread_join(pthread_t thread, void **value) {
    if (thread == __norn_self())
        return EDEADLK;
    if (__norn_is_linked("pthread_cancel"))
        wait_or_act(thread);
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
