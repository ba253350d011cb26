/* Functions to call at exit.
   They are not called when main returns, since that ends only main's thread here. */
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
    return number < HANDLERS ? 0 : -1;
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
