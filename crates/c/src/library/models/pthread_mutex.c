/* Mutexes: a call that locks or unlocks is one step. A normal mutex that its owner locks again blocks for ever, which is a deadlock,
   not an error.

   Other calls do not synchronise: initialisation and destruction; what the owner of a recursive mutex does to it between
   its first lock and its last unlock; and where a mutex that checks for errors finds one. The owner of a mutex is the
   calling thread only if it has locked it itself, so reading it needs no section. */
#include <norn_errno.h>
#include <norn_mutex.h>

_Static_assert(sizeof(pthread_mutex_t) == (sizeof(long) == 8 ? 40 : 24), "glibc's size");
_Static_assert(offsetof(pthread_mutex_t, __kind) == (sizeof(long) == 8 ? 16 : 12), "glibc's place");

/* Takes a mutex that is free or that the owner of a recursive mutex locks again. */
static void take(pthread_mutex_t *mutex, unsigned int owner) {
    if (owner)
        mutex->__count++;
    else
        mutex->__owner = __model_me();
    __norn_acquire(mutex);
}

static _Bool knows_owner(int kind) {
    return kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK;
}

/* What locking returns if the caller owns a mutex that knows that, else -1. */
static int lock_again(pthread_mutex_t *mutex) {
    int kind = __norn_load(mutex->__kind);
    if (!knows_owner(kind) || __norn_load(mutex->__owner) != __model_me())
        return -1;
    if (kind == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    __norn_store(mutex->__count, __norn_load(mutex->__count) + 1);
    return 0;
}

/* What unlocking returns if that does not free the mutex, else -1. */
static int unlock_once(pthread_mutex_t *mutex) {
    int kind = __norn_load(mutex->__kind);
    if (!knows_owner(kind))
        return -1;
    if (__norn_load(mutex->__owner) != __model_me())
        return EPERM;
    if (kind == PTHREAD_MUTEX_ERRORCHECK)
        return -1;
    unsigned int count = __norn_load(mutex->__count);
    if (count == 0)
        return -1;
    __norn_store(mutex->__count, count - 1);
    return 0;
}

int pthread_mutex_init(pthread_mutex_t *restrict mutex, const pthread_mutexattr_t *restrict attr) {
    int kind = PTHREAD_MUTEX_NORMAL;
    if (attr) {
        int bits = attr->__bits;
        __norn_misuse(bits >= 0, "use of a mutex attribute object that is destroyed or not initialised");
        kind = bits & 3;
    }
    __norn_store(mutex->__owner, 0);
    if (kind == PTHREAD_MUTEX_RECURSIVE)
        __norn_store(mutex->__count, 0);
    __norn_store(mutex->__kind, kind);
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    __model_mutex_kind(mutex);
    __norn_misuse(__norn_load(mutex->__owner) == 0, "destruction of a locked mutex");
    __norn_store(mutex->__kind, __NORN_MUTEX_DESTROYED);
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    int result = 0;
    if (__norn_is_linked("__norn_mutex_kinds")) {
        result = lock_again(mutex);
        if (result >= 0)
            return result;
        result = 0;
    }
    __norn_section_begin();
    int kind = __model_mutex_kind(mutex);
    unsigned int owner = mutex->__owner;
    _Bool again = owner == __model_me() && knows_owner(kind);
    __norn_await(owner == 0 || again);
    if (again && kind == PTHREAD_MUTEX_ERRORCHECK)
        result = EDEADLK;
    else
        take(mutex, owner);
    __norn_section_end();
    return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    int result = 0;
    if (__norn_is_linked("__norn_mutex_kinds")) {
        result = lock_again(mutex);
        if (result >= 0)
            return result ? EBUSY : 0;
        result = 0;
    }
    __norn_section_begin();
    int kind = __model_mutex_kind(mutex);
    unsigned int owner = mutex->__owner;
    if (owner == 0 || (owner == __model_me() && kind == PTHREAD_MUTEX_RECURSIVE))
        take(mutex, owner);
    else
        result = EBUSY;
    __norn_section_end();
    return result;
}

/* A time limit may pass at any time while the mutex is not free, whatever the limit is, and is certain to pass: the call never
   has to wait. That it gets the mutex later is covered by the schedule in which its step comes later. */
int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    int result = 0;
    (void)until;
    if (__norn_is_linked("__norn_mutex_kinds")) {
        result = lock_again(mutex);
        if (result >= 0)
            return result;
        result = 0;
    }
    __norn_section_begin();
    int kind = __model_mutex_kind(mutex);
    unsigned int owner = mutex->__owner;
    _Bool again = owner == __model_me() && knows_owner(kind);
    if (again && kind == PTHREAD_MUTEX_ERRORCHECK)
        result = EDEADLK;
    else if (owner == 0 || again)
        take(mutex, owner);
    else
        result = ETIMEDOUT;
    __norn_section_end();
    return result;
}

int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until) {
    (void)clock;
    return pthread_mutex_timedlock(mutex, until);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int result = 0;
    if (__norn_is_linked("__norn_mutex_kinds")) {
        result = unlock_once(mutex);
        if (result >= 0)
            return result;
        result = 0;
    }
    __norn_section_begin();
    int kind = __model_mutex_kind(mutex);
    _Bool mine = mutex->__owner == __model_me();
    __norn_misuse(mine || knows_owner(kind), "unlock of a mutex that the calling thread does not hold");
    if (mine)
        __model_mutex_release(mutex, kind);
    else
        result = EPERM;
    __norn_section_end();
    return result;
}
