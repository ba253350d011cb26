/* The end of the program. */
#include <norn.h>
#include <stdlib.h>
#include <unistd.h>

/* In atexit.c, which is part of the program if `__norn_at_exit` is. */
void __model_run_exit_handlers(int status);

_Noreturn void exit(int status) {
    if (__norn_is_linked("__norn_at_exit"))
        __model_run_exit_handlers(status);
    __norn_exit(status);
}

_Noreturn void _Exit(int status) {
    __norn_exit(status);
}

_Noreturn void _exit(int status) {
    __norn_exit(status);
}
