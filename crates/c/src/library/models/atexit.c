/* Functions to call at exit. If there are any when main returns, that is a call of exit: it calls them and ends the program, with
   all threads. Without any, main's return ends only its own thread, as if it had called pthread_exit. Registering one takes a
   lock in glibc, and is a fence here. Functions with the attribute `destructor` are registered before everything else. */
#include <norn.h>

#define HANDLERS 32
static struct {
    void (*plain)(void);
    /* If it is not null, this one. */
    void (*with_status)(int status, void *arg);
    void *arg;
} handlers[HANDLERS];
static int count;

void __norn_at_exit(void (*plain)(void), void (*with_status)(int status, void *arg), void *arg) {
    __norn_section_begin();
    int number = count;
    if (number < HANDLERS) {
        handlers[number].plain = plain;
        if (__norn_is_linked("on_exit")) {
            handlers[number].with_status = with_status;
            handlers[number].arg = arg;
        }
        count = number + 1;
    }
    __norn_section_end();
    if (number >= HANDLERS)
        __norn_unsupported("more than 32 functions to call at exit");
}

int atexit(void (*function)(void)) {
    __norn_at_exit(function, 0, 0);
    return 0;
}

int on_exit(void (*function)(int status, void *arg), void *arg) {
    __norn_at_exit(0, function, arg);
    return 0;
}

/* The last registered first; a handler may register more. */
void __model_run_exit_handlers(int status) {
    for (;;) {
        void (*plain)(void) = 0;
        void (*with_status)(int status, void *arg) = 0;
        void *arg = 0;
        __norn_section_begin();
        int number = count;
        if (number > 0) {
            plain = handlers[number - 1].plain;
            if (__norn_is_linked("on_exit")) {
                with_status = handlers[number - 1].with_status;
                arg = handlers[number - 1].arg;
            }
            count = number - 1;
        }
        __norn_section_end();
        if (number == 0)
            return;
        if (__norn_is_linked("on_exit")) {
            if (with_status) {
                with_status(status, arg);
                continue;
            }
        }
        plain();
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
        __model_run_exit_handlers(status);
        __norn_exit(status);
    }
}

/* Called when main's thread ends otherwise: the last thread to end would call them. */
void __model_main_left(void) {
    if (is_any())
        __norn_unsupported("main ends by 'pthread_exit' after 'atexit'");
}
