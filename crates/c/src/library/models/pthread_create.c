/* Threads. A thread's identifier is its number. Attributes have no effect: a detached thread is one that nobody joins. */
#include <norn.h>
#include <norn_pthread.h>

/* In pthread_key.c, which is part of the program if `pthread_key_create` is. */
void __model_run_destructors(void);

static void *run(void *(*start)(void *), void *arg) {
    void *value = start(arg);
    __model_run_destructors();
    return value;
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*start)(void *), void *restrict arg) {
    size_t number;
    (void)attr;
    __norn_fence_call();
    if (__norn_is_linked("pthread_key_create"))
        number = __norn_spawn((void *)run, start, arg);
    else
        number = __norn_spawn((void *)start, arg);
    if (thread)
        *thread = number;
    return 0;
}
