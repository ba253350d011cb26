/* Functions to call at exit. If there are any when main returns, that is a call of exit: it calls them and ends the program, with
   all threads. Without any, main's return ends only its own thread, as if it had called pthread_exit. Registering one takes a
   lock in glibc, and is a fence here. */
#include <norn.h>

#define HANDLERS 32
static void (*handlers[HANDLERS])(void);
static int count;

int atexit(void (*function)(void)) {
    __norn_section_begin();
    int number = count;
    if (number < HANDLERS) {
        handlers[number] = function;
        count = number + 1;
    }
    __norn_section_end();
    if (number >= HANDLERS)
        __norn_unsupported("more than 32 functions to call at exit");
    return 0;
}

/* The last registered first; a handler may register more. */
void __model_run_exit_handlers(void) {
    for (;;) {
        void (*handler)(void) = 0;
        __norn_section_begin();
        int number = count;
        if (number > 0) {
            handler = handlers[number - 1];
            count = number - 1;
        }
        __norn_section_end();
        if (number == 0)
            return;
        handler();
    }
}

static _Bool is_any(void) {
    __norn_section_begin();
    int number = count;
    __norn_section_end();
    return number > 0;
}

/* Called when main returns. */
void __model_main_returned(int status) {
    if (is_any()) {
        __model_run_exit_handlers();
        __norn_exit(status);
    }
}

/* Called when main's thread ends otherwise: the last thread to end would call them. */
void __model_main_left(void) {
    if (is_any())
        __norn_unsupported("main ends by 'pthread_exit' after 'atexit'");
}
