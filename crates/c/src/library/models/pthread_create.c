/* Threads. A thread's identifier is its number. Of the attributes only the detach state has an effect. */
#include <norn_cancel.h>

/* In thread_states.c. */
_Bool __norn_let_thread_go(pthread_t thread);

/* In pthread_key.c, which is part of the program if `pthread_key_create` is. */
void __model_run_destructors(void);

/* In pthread_cleanup.c, which is part of the program if `_pthread_cleanup_push` is. */
void __model_no_cleanup_handlers(void);

/* In thread_ids.c. */
void __model_id_is_stored(pthread_t thread);
void __model_wait_for_id(void);

static void *run(void *(*start)(void *), void *arg) {
    if (__norn_is_linked("__model_wait_for_id"))
        __model_wait_for_id();
    void *value = start(arg);
    if (__norn_is_linked("_pthread_cleanup_push"))
        __model_no_cleanup_handlers();
    if (__norn_is_linked("pthread_cancel"))
        __model_thread_ends();
    if (__norn_is_linked("pthread_key_create"))
        __model_run_destructors();
    if (__norn_is_linked("pthread_cancel"))
        __model_thread_ended();
    return value;
}

/* In signal.c, which is part of the program if `pthread_sigmask` is. */
unsigned long long __model_signal_mask(void);
void __model_inherit_signal_mask(unsigned long long inherited);

static void *run_with_mask(void *(*start)(void *), void *arg, unsigned long long mask) {
    __model_inherit_signal_mask(mask);
    return run(start, arg);
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*start)(void *), void *restrict arg) {
    size_t number;
    __norn_fence_call();
    if (__norn_is_linked("pthread_sigmask"))
        number = __norn_spawn((void *)run_with_mask, start, arg, __model_signal_mask());
    else if (__norn_is_linked("pthread_key_create"))
        number = __norn_spawn((void *)run, start, arg);
    else if (__norn_is_linked("pthread_cancel"))
        number = __norn_spawn((void *)run, start, arg);
    else if (__norn_is_linked("_pthread_cleanup_push"))
        number = __norn_spawn((void *)run, start, arg);
    else if (__norn_is_linked("__model_wait_for_id"))
        number = __norn_spawn((void *)run, start, arg);
    else
        number = __norn_spawn((void *)start, arg);
    if (__norn_is_linked("pthread_attr_setdetachstate")) {
        if (attr && attr->__detached == PTHREAD_CREATE_DETACHED)
            __norn_let_thread_go(number);
    }
    if (thread)
        *thread = number;
    if (__norn_is_linked("__model_wait_for_id"))
        __model_id_is_stored(number);
    return 0;
}
