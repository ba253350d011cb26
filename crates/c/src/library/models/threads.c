/* C11 threads: creation, end, identity. */
#include <norn_cancel.h>
#include <pthread.h>
#include <threads.h>

/* In pthread_key.c, which is part of the program if `pthread_key_create` is. */
void __model_run_destructors(void);

/* In pthread_cleanup.c, which is part of the program if `_pthread_cleanup_push` is. */
void __model_no_cleanup_handlers(void);

/* In thread_ids.c. */
void __model_id_is_stored(pthread_t thread);
void __model_wait_for_id(void);

static void *run(thrd_start_t start, void *arg) {
    if (__norn_is_linked("__model_wait_for_id"))
        __model_wait_for_id();
    int result = start(arg);
    if (__norn_is_linked("_pthread_cleanup_push"))
        __model_no_cleanup_handlers();
    if (__norn_is_linked("pthread_cancel"))
        __model_thread_ends();
    if (__norn_is_linked("pthread_key_create"))
        __model_run_destructors();
    if (__norn_is_linked("pthread_cancel"))
        __model_thread_ended();
    return (void *)(long)result;
}

/* In signal.c, which is part of the program if `pthread_sigmask` is. */
unsigned long long __model_signal_mask(void);
void __model_inherit_signal_mask(unsigned long long inherited);

static void *run_with_mask(thrd_start_t start, void *arg, unsigned long long mask) {
    __model_inherit_signal_mask(mask);
    return run(start, arg);
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *arg) {
    __norn_fence_call();
    thrd_t number;
    if (__norn_is_linked("pthread_sigmask"))
        number = __norn_spawn((void *)run_with_mask, start, arg, __model_signal_mask());
    else
        number = __norn_spawn((void *)run, start, arg);
    if (thread)
        *thread = number;
    if (__norn_is_linked("__model_wait_for_id"))
        __model_id_is_stored(number);
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
    __model_cancellation_point();
    return 0;
}

void thrd_yield(void) {
}
