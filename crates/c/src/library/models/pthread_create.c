/* Threads. A thread's identifier is its number. Of the attributes only the detach state has an effect. */
#include <norn.h>
#include <norn_pthread.h>

/* In thread_states.c. */
_Bool __norn_let_thread_go(pthread_t thread);

/* In pthread_key.c, which is part of the program if `pthread_key_create` is. */
void __model_run_destructors(void);

static void *run(void *(*start)(void *), void *arg) {
    void *value = start(arg);
    __model_run_destructors();
    return value;
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*start)(void *), void *restrict arg) {
    size_t number;
    __norn_fence_call();
    if (__norn_is_linked("pthread_key_create"))
        number = __norn_spawn((void *)run, start, arg);
    else
        number = __norn_spawn((void *)start, arg);
    if (__norn_is_linked("pthread_attr_setdetachstate")) {
        if (attr && attr->__detached == PTHREAD_CREATE_DETACHED)
            __norn_let_thread_go(number);
    }
    if (thread)
        *thread = number;
    return 0;
}
