/* The end of a thread by a call. */
#include <norn_cancel.h>

/* In pthread_key.c, which is part of the program if `pthread_key_create` is. */
void __model_run_destructors(void);

/* In atexit.c, which is part of the program if `__norn_at_exit` is. */
void __model_main_left(void);

/* In pthread_cleanup.c, which is part of the program if the functions are that these are called for. */
void __model_run_cleanup_handlers(void);
void __model_no_jumps(void);

_Noreturn void pthread_exit(void *value) {
    if (__norn_is_linked("pthread_cancel"))
        __model_thread_ends();
    if (__norn_is_linked("__pthread_register_cancel"))
        __model_no_jumps();
    if (__norn_is_linked("_pthread_cleanup_push"))
        __model_run_cleanup_handlers();
    if (__norn_is_linked("__norn_at_exit")) {
        if (__norn_self() == 0)
            __model_main_left();
    }
    if (__norn_is_linked("pthread_key_create"))
        __model_run_destructors();
    if (__norn_is_linked("pthread_cancel"))
        __model_thread_ended();
    __norn_fence_call();
    __norn_thread_exit(value);
}
