/* C11 threads: creation, end, identity. */
#include <norn.h>
#include <pthread.h>
#include <threads.h>

/* In pthread_key.c, which is part of the program if `pthread_key_create` is. */
void __model_run_destructors(void);

static void *run(thrd_start_t start, void *arg) {
    int result = start(arg);
    if (__norn_is_linked("pthread_key_create"))
        __model_run_destructors();
    return (void *)(long)result;
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *arg) {
    __norn_fence_call();
    thrd_t number = __norn_spawn((void *)run, start, arg);
    if (thread)
        *thread = number;
    return thrd_success;
}

int thrd_join(thrd_t thread, int *result) {
    void *value;
    if (pthread_join(thread, &value))
        return thrd_error;
    if (result)
        *result = (int)(long)value;
    return thrd_success;
}

_Noreturn void thrd_exit(int result) {
    pthread_exit((void *)(long)result);
}

int thrd_detach(thrd_t thread) {
    return pthread_detach(thread) ? thrd_error : thrd_success;
}

thrd_t thrd_current(void) {
    return __norn_self();
}

int thrd_equal(thrd_t a, thrd_t b) {
    return a == b;
}

int thrd_sleep(const struct timespec *duration, struct timespec *rest) {
    (void)duration;
    (void)rest;
    return 0;
}

void thrd_yield(void) {
}
