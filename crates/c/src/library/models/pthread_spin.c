/* Spinlocks: a call that locks or unlocks is one step; a thread that would spin is not enabled. The lock is 0 while it is free, else the owner's thread
   number plus 1, and negative once destroyed. */
#include <norn_errno.h>
#include <norn.h>
#include <norn_pthread.h>

_Static_assert(sizeof(pthread_spinlock_t) == 4, "glibc's size");
#define DESTROYED (-1)

static int read_state(pthread_spinlock_t *lock) {
    int state = __norn_load(*lock);
    __norn_misuse(state >= 0, "use of a spinlock that is destroyed or not initialised");
    return state;
}

static void take(pthread_spinlock_t *lock) {
    *lock = (int)__norn_self() + 1;
    __norn_acquire((void *)lock);
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    (void)shared;
    __norn_store(*lock, 0);
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) {
    __norn_misuse(read_state(lock) == 0, "destruction of a locked spinlock");
    __norn_store(*lock, DESTROYED);
    return 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock) {
    __norn_section_begin();
    __norn_await(read_state(lock) == 0);
    take(lock);
    __norn_section_end();
    return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock) {
    int result = 0;
    __norn_section_begin();
    if (read_state(lock) == 0)
        take(lock);
    else
        result = EBUSY;
    __norn_section_end();
    return result;
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
    __norn_section_begin();
    __norn_misuse(read_state(lock) == (int)__norn_self() + 1, "unlock of a spinlock that the calling thread does not hold");
    __norn_release((void *)lock);
    *lock = 0;
    __norn_section_end();
    return 0;
}
