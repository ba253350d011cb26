/* Cleanup handlers: a list of what stands in the blocks that `pthread_cleanup_push` opens, the innermost first. Such a block must
   not be left by a jump: then the list points to a variable whose life has ended, which the next access to it shows.

   glibc's own macros save where to jump to instead. What they call is enough here as long as nobody has to jump. */
#include <norn.h>
#include <norn_pthread.h>

static _Thread_local struct _pthread_cleanup_buffer *innermost;
static _Thread_local int jumps;

void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *arg) {
    buffer->__routine = routine;
    buffer->__arg = arg;
    buffer->__prev = innermost;
    innermost = buffer;
}

void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute) {
    __norn_misuse(innermost == buffer, "a block with a cleanup handler was left by a jump");
    innermost = buffer->__prev;
    if (execute)
        buffer->__routine(buffer->__arg);
}

void __pthread_register_cancel(void *buffer) {
    (void)buffer;
    jumps++;
}

void __pthread_unregister_cancel(void *buffer) {
    (void)buffer;
    jumps--;
}

/* Called when a thread ends by a call or a request. */
void __model_run_cleanup_handlers(void) {
    while (innermost) {
        struct _pthread_cleanup_buffer *buffer = innermost;
        innermost = buffer->__prev;
        buffer->__routine(buffer->__arg);
    }
}

void __model_no_jumps(void) {
    if (jumps != 0)
        __norn_unsupported("a thread that ends in a block with a cleanup handler of glibc's macros");
}

/* Called when a thread's function returns. */
void __model_no_cleanup_handlers(void) {
    __norn_misuse(innermost == 0, "a block with a cleanup handler was left by a return");
}
