#ifndef __NORN_MUTEX_H
#define __NORN_MUTEX_H
/* What the models of mutexes and of condition variables share.
   owner: 0 while the mutex is free, else the owner's thread number plus 1.
   count: how often the owner of a recursive mutex has locked it beyond the first time.
   kind:  PTHREAD_MUTEX_…, which init and destroy alone change. */
#include <norn.h>
#include <norn_pthread.h>
#include <norn_types.h>
#define __NORN_MUTEX_DESTROYED (-1)

static inline unsigned int __model_me(void) {
    return (unsigned int)__norn_self() + 1;
}

/* The kind of a mutex that may be used. */
static inline int __model_mutex_kind(const struct __norn_mutex *mutex) {
    int kind = __norn_load(mutex->__kind);
    __norn_misuse(kind != __NORN_MUTEX_DESTROYED, "use of a destroyed mutex");
    __norn_misuse(kind >= PTHREAD_MUTEX_NORMAL && kind <= PTHREAD_MUTEX_ADAPTIVE_NP, "use of a mutex that is not initialised");
    return kind;
}

/* Gives up one lock of a mutex that the caller owns. Inside a section. */
static inline void __model_mutex_release(struct __norn_mutex *mutex, int kind) {
    if (kind == PTHREAD_MUTEX_RECURSIVE && mutex->__count > 0) {
        mutex->__count--;
    } else {
        __norn_release(mutex);
        mutex->__owner = 0;
    }
}
#endif
