/* The end of the program. */
#include <norn.h>
#include <stdlib.h>
#include <unistd.h>

/* In atexit.c, which is part of the program if `atexit` is. */
void __model_run_exit_handlers(void);

_Noreturn void exit(int status) {
    if (__norn_is_linked("atexit"))
        __model_run_exit_handlers();
    __norn_exit(status);
}

_Noreturn void _Exit(int status) {
    __norn_exit(status);
}

_Noreturn void _exit(int status) {
    __norn_exit(status);
}
