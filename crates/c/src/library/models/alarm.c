/* The signal of an alarm ends the program, at any time. That shows nothing that an execution has not shown before its end. Handlers
   of signals are not modelled. */
#include <norn.h>
#include <unistd.h>

unsigned int __norn_nondet_seconds_left(void);

static _Bool is_set;

unsigned int alarm(unsigned int seconds) {
    if (seconds != 0 && (__norn_is_linked("signal") || __norn_is_linked("sigaction")))
        __norn_unsupported("'alarm' in a program that handles signals");
    _Bool was_set = __norn_load(is_set);
    __norn_store(is_set, seconds != 0);
    return was_set ? __norn_nondet_seconds_left() : 0;
}
