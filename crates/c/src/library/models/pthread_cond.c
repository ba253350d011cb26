/* Condition variables. A wait is three steps: give up the mutex and start to wait, wake up, take the mutex again (so that
   another thread may take it first). Waking up without a signal is possible at any time, but does not count as
   enabled, so that a lost wake-up shows as a deadlock; a time limit does, because it is certain to pass.

   POSIX promises that a signal wakes at least one of the threads that wait when it is given. Which one is left open here
   until one of them wakes up: a signal is pending for the threads that waited when it was given, and the first of them
   to run takes it. The threads that wait are

     waiting   a set, with `count` its size; `pending` signals wait for threads of this set to take them
     woken     a set: threads that have been woken for certain

   and the level of a waiting thread is the number of pending signals that were given before it began to wait, which it
   must not take. Signals are numbered by age from 1, so signal i is for the waiting threads whose level is below i, and the
   sets that two signals are for contain one another. Always:

     (1) for each i from 1 to pending, at least i waiting threads have a level below i: each signal can be taken;
     (2) pending < count, or both are 0: if there are as many signals as threads, all of them count as woken;
     (3) a level is at most pending, and 0 for a thread that is not waiting.

   A thread of level l with l < pending takes signal l + 1, the oldest that is for it. The later ones are for more
   threads, so no choice is lost; the levels above l fall by one, and (1) still holds, since for i <= l the thread was not
   among those counted, and above that both sides fall by one. A thread that wakes up without a signal has
   a level of at least pending, so no signal was for it and (1) is untouched. A thread with a signal to take cannot leave
   without it; that it times out instead is covered by the schedule in which it leaves before the signal is given.
   A thread that is cancelled must not take a signal that is for others too. If all levels are 0, (2) says that it can leave
   without; other cases are not modelled.

   state, from the lowest bit: waiting (27 bits), woken (27), count (5), pending (5).
   levels: two sets, of the threads whose level is odd (low half) and at least 2 (high half); only used if pending > 0. */
#include <norn_cancel.h>
#include <norn_errno.h>
#include <norn_mutex.h>

int pthread_mutex_lock(pthread_mutex_t *mutex);

_Static_assert(sizeof(pthread_cond_t) == 48, "glibc's size");

typedef unsigned long long bits;
#define THREADS 27
#define ALL ((1ull << THREADS) - 1)
#define WOKEN(state) ((state) >> THREADS & ALL)
#define COUNT(state) ((unsigned int)((state) >> 54) & 31)
#define PENDING(state) ((unsigned int)((state) >> 59))
#define ONE_WAITING (1ull << 54)
#define ONE_PENDING (1ull << 59)
#define DESTROYED (31 * ONE_PENDING)

static bits read_state(const pthread_cond_t *cond) {
    bits state = __norn_load(cond->__state);
    __norn_misuse(PENDING(state) <= COUNT(state), "use of a condition variable that is destroyed or not initialised");
    return state;
}

/* Writes the state back, after (2) was made to hold. */
static void write_state(pthread_cond_t *cond, bits state) {
    if (PENDING(state) == COUNT(state) && COUNT(state) > 0) {
        if (PENDING(state) > 1)
            cond->__levels = 0;
        state = (state & ALL) << THREADS | (WOKEN(state) << THREADS);
    }
    cond->__state = state;
}

/* The levels after the thread has left; if it took a signal, those above its level have fallen by one. */
static bits without(bits levels, bits me, unsigned int level, _Bool took) {
    bits odd = levels & 0xffffffff, high = levels >> 32;
    if (took) {
        bits above = level == 0 ? odd | high : level == 1 ? high : level == 2 ? odd & high : 0;
        high ^= above & ~odd;
        odd ^= above;
    }
    return (odd & ~me) | (high & ~me) << 32;
}

/* The first step of a wait. */
static void begin(pthread_cond_t *cond, pthread_mutex_t *mutex, bits me) {
    __norn_section_begin();
    int kind = __model_mutex_kind(mutex);
    __norn_misuse(mutex->__owner == __model_me(), "wait on a condition variable with a mutex that the calling thread does not hold");
    __model_mutex_release(mutex, kind);
    bits state = read_state(cond);
    unsigned int level = PENDING(state);
    if (level > 0) {
        if (level > 3)
            __norn_unsupported("a thread waits on a condition variable with more than 3 pending signals");
        cond->__levels |= (level & 1 ? me : 0) | (level & 2 ? me << 32 : 0);
    }
    cond->__state = (state | me) + ONE_WAITING;
    __norn_section_end();
}

/* How a wait ends. */
enum { WITHOUT_SIGNAL, SIGNALLED, CANCELLED };

/* The second step of a wait. A time limit is certain to pass, so a timed wait is always enabled. */
static int wake(pthread_cond_t *cond, bits me, _Bool timed, _Bool must) {
    _Bool acts = 0;
    __norn_section_begin();
    bits state = cond->__state;
    unsigned int pending = PENDING(state), level = 0;
    _Bool certain = (WOKEN(state) & me) != 0;
    bits levels = 0;
    if (!certain && pending > 0) {
        levels = cond->__levels;
        level = (levels & me ? 1 : 0) + (levels >> 32 & me ? 2 : 0);
    }
    _Bool took = certain || level < pending;
    if (__norn_is_linked("pthread_cancel")) {
        _Bool cancelled = __model_is_cancelled();
        __norn_await_spurious(took || timed || cancelled);
        acts = __model_acts(cancelled, must);
        if (acts && !certain && took) {
            if (levels)
                __norn_unsupported("a cancelled thread that waits on a condition variable with signals for others");
            took = 0;
        }
    } else {
        __norn_await_spurious(took || timed);
    }
    if (certain) {
        cond->__state = state & ~(me << THREADS);
    } else {
        if (levels)
            cond->__levels = without(levels, me, level, took);
        write_state(cond, (state & ~me) - ONE_WAITING - (took ? ONE_PENDING : 0));
    }
    __norn_section_end();
    return acts ? CANCELLED : took ? SIGNALLED : WITHOUT_SIGNAL;
}

/* A thread that is cancelled has the mutex again when its cleanup handlers run. */
static _Bool wait(pthread_cond_t *cond, pthread_mutex_t *mutex, _Bool timed) {
    _Bool must = 0;
    if (__norn_self() >= THREADS)
        __norn_unsupported("a thread after the 27th waits on a condition variable");
    bits me = 1ull << __norn_self();
    if (__norn_is_linked("pthread_cancel"))
        must = __model_is_cancelled();
    begin(cond, mutex, me);
    int end = wake(cond, me, timed, must);
    if (__norn_is_linked("pthread_cancel")) {
        if (end == CANCELLED) {
            pthread_mutex_lock(mutex);
            __model_act();
        }
    }
    return end == SIGNALLED;
}

int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attr) {
    (void)attr;
    __norn_store(cond->__state, 0);
    __norn_store(cond->__levels, 0);
    return 0;
}

/* Threads that have been woken may still be on their way out. */
int pthread_cond_destroy(pthread_cond_t *cond) {
    bits state = read_state(cond);
    __norn_misuse(COUNT(state) == 0, "destruction of a condition variable on which a thread waits");
    if (WOKEN(state)) {
        __norn_section_begin();
        __norn_await(WOKEN(cond->__state) == 0);
        __norn_section_end();
    }
    __norn_store(cond->__state, DESTROYED);
    return 0;
}

int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex) {
    wait(cond, mutex, 0);
    return pthread_mutex_lock(mutex);
}

_Bool __norn_nondet_timeout(void);

/* The time limit may pass at any time, whatever it is. A thread that wakes up without a signal may also do so before. */
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    (void)until;
    _Bool took = wait(cond, mutex, 1);
    int error = pthread_mutex_lock(mutex);
    if (error)
        return error;
    return !took && __norn_nondet_timeout() ? ETIMEDOUT : 0;
}

int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until) {
    (void)clock;
    return pthread_cond_timedwait(cond, mutex, until);
}

int pthread_cond_signal(pthread_cond_t *cond) {
    __norn_section_begin();
    bits state = read_state(cond);
    if (COUNT(state) > 0)
        write_state(cond, state + ONE_PENDING);
    __norn_section_end();
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond) {
    __norn_section_begin();
    bits state = read_state(cond);
    if (COUNT(state) > 0) {
        if (PENDING(state) > 0)
            cond->__levels = 0;
        cond->__state = (state & ALL) << THREADS | (WOKEN(state) << THREADS);
    }
    __norn_section_end();
    return 0;
}
