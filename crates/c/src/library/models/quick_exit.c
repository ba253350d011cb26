/* Functions to call at `quick_exit`, the last registered first. */
#include <norn.h>
#include <stdlib.h>

#define HANDLERS 32
static void (*handlers[HANDLERS])(void);
static int count;

int at_quick_exit(void (*function)(void)) {
    __norn_section_begin();
    int number = count;
    if (number < HANDLERS) {
        handlers[number] = function;
        count = number + 1;
    }
    __norn_section_end();
    if (number >= HANDLERS)
        __norn_unsupported("more than 32 functions to call at 'quick_exit'");
    return 0;
}

static void run_handlers(void) {
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

_Noreturn void quick_exit(int status) {
    if (__norn_is_linked("at_quick_exit"))
        run_handlers();
    __norn_exit(status);
}
