#ifndef __NORN_CANCEL_H
#define __NORN_CANCEL_H
/* Cancellation points. The functions are in pthread_cancel.c; a model mentions them where `pthread_cancel` is linked. */
#include <norn.h>
#include <norn_pthread.h>
_Bool __model_is_cancelled(void);
_Bool __model_acts(_Bool cancelled, _Bool must);
_Noreturn void __model_act(void);
_Bool __model_has_ended(pthread_t thread);
void __model_thread_ends(void);
void __model_thread_ended(void);
void __model_once_begins(void);
void __model_once_ends(void);

/* A call that acts on a request which is there when it begins, and does not wait. */
static inline void __model_cancellation_point(void) {
    if (__norn_is_linked("pthread_cancel")) {
        if (__model_is_cancelled())
            __model_act();
    }
}
#endif
