/* Deferred cancellation. A request is a bit that stays; the thread acts on it at a cancellation point, if it is enabled there and
   the thread does not end anyway: it runs the cleanup handlers, the destructors of its keys, and ends.

   A cancellation point that finds a request at its beginning acts. One that waits is also enabled by a request that comes
   meanwhile; if it could go on as well, it does either. What POSIX only allows to be a cancellation point (output, locks
   of readers and writers) is none. Asynchronous cancellation is not modelled.

   A request is no edge of happens-before: POSIX 4.12 does not list pthread_cancel. It takes a lock or a read-modify-write in
   glibc, and is a fence here.

   asked, ended: sets of the first 64 threads. A thread is in `ended` when it has nothing to do any more but to end. */
#include <norn_cancel.h>
#include <norn_errno.h>

#define TRACKED 64

static unsigned long long asked, ended;
static _Thread_local int cancel_state, cancel_type;
static _Thread_local _Bool ends;
static _Thread_local int initialisations;

_Noreturn void pthread_exit(void *value);
_Bool __norn_nondet_cancelled(void);

int pthread_cancel(pthread_t thread) {
    if (thread >= TRACKED)
        __norn_unsupported("cancelling a thread after the 64th");
    __norn_section_begin();
    asked |= 1ull << thread;
    __norn_section_end();
    return 0;
}

int pthread_setcancelstate(int state, int *old) {
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (old)
        *old = cancel_state;
    cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (__norn_is_linked("pthread_cancel")) {
        if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
            __norn_unsupported("asynchronous cancellation");
    }
    if (old)
        *old = cancel_type;
    cancel_type = type;
    return 0;
}

void pthread_testcancel(void) {
    __model_cancellation_point();
}

/* Whether there is a request on which the calling thread would act. */
_Bool __model_is_cancelled(void) {
    size_t me = __norn_self();
    return me < TRACKED && !ends && cancel_state == PTHREAD_CANCEL_ENABLE && (__norn_load(asked) >> me & 1) != 0;
}

/* Whether a call acts on a request that came before or while it waited, though it could go on. */
_Bool __model_acts(_Bool cancelled, _Bool must) {
    return cancelled && (must || __norn_nondet_cancelled());
}

_Noreturn void __model_act(void) {
    if (initialisations > 0)
        __norn_unsupported("a thread that is cancelled in the function of 'pthread_once'");
    pthread_exit(PTHREAD_CANCELED);
}

void __model_once_begins(void) {
    initialisations++;
}

void __model_once_ends(void) {
    initialisations--;
}

/* Called when a thread begins to end: from then on it ignores requests. */
void __model_thread_ends(void) {
    ends = 1;
}

/* Called when nothing of a thread is left to run. */
void __model_thread_ended(void) {
    size_t me = __norn_self();
    if (me < TRACKED) {
        __norn_section_begin();
        ended |= 1ull << me;
        __norn_section_end();
    }
}

/* Inside a section. */
_Bool __model_has_ended(pthread_t thread) {
    return thread < TRACKED && (ended >> thread & 1) != 0;
}
