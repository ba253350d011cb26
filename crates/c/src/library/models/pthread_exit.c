/* The end of a thread by a call. */
#include <norn.h>
#include <norn_pthread.h>

/* In pthread_key.c, which is part of the program if `pthread_key_create` is. */
void __model_run_destructors(void);

/* In atexit.c, which is part of the program if `atexit` is. */
void __model_main_left(void);

_Noreturn void pthread_exit(void *value) {
    if (__norn_is_linked("atexit")) {
        if (__norn_self() == 0)
            __model_main_left();
    }
    if (__norn_is_linked("pthread_key_create"))
        __model_run_destructors();
    __norn_fence_call();
    __norn_thread_exit(value);
}
