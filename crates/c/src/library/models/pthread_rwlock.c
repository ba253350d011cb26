/* Read-write locks: a call that locks or unlocks is one step, after a look at the lock in calls that may fail; those that do not are
   no fences. Readers share the lock, also with themselves; nobody is preferred. A thread that holds the lock for
   writing and locks it again blocks for ever or is told so.

   state, from the lowest bit: for each of the threads 0–15 how often it holds the lock for reading (3 bits each), how often all
   other threads hold it for reading (8 bits), the number of the writer plus 1 (8 bits). All ones: destroyed; all ones but the
   last: writers are to be preferred, which is not modelled.

   Happens-before: the lock itself stands for what writers did, `__read_clock` for what readers did. Writers come after both,
   readers only after writers. */
#include <norn_errno.h>
#include <norn.h>
#include <norn_pthread.h>
#include <norn_types.h>
_Static_assert(sizeof(pthread_rwlock_t) == (sizeof(long) == 8 ? 56 : 32), "glibc's size");

typedef unsigned long long bits;
#define DESTROYED (~0ull)
#define WRITER(state) ((unsigned int)((state) >> 56))
#define TRACKED 16

static bits read_state(const pthread_rwlock_t *lock) {
    bits state = __norn_load(lock->__state);
    __norn_misuse(state != DESTROYED, "use of a destroyed read-write lock");
    if (state == __NORN_WRITERS_FIRST)
        __norn_unsupported("a read-write lock that prefers writers");
    return state;
}

static _Bool is_mine(bits state) {
    return WRITER(state) == __norn_self() + 1;
}

/* Where the calling thread's read locks are counted. */
static unsigned int place(void) {
    return __norn_self() < TRACKED ? 3 * (unsigned int)__norn_self() : 3 * TRACKED;
}

static unsigned int most(void) {
    return __norn_self() < TRACKED ? 7 : 255;
}

static void take_for_reading(pthread_rwlock_t *lock, bits state) {
    if ((state >> place() & most()) == most())
        __norn_unsupported("a read-write lock is held too many times for reading");
    lock->__state = state + (1ull << place());
    __norn_acquire(lock);
}

static void take_for_writing(pthread_rwlock_t *lock) {
    if (__norn_self() >= 254)
        __norn_unsupported("a thread after the 254th locks a read-write lock for writing");
    lock->__state = (bits)(__norn_self() + 1) << 56;
    __norn_acquire(lock);
    __norn_acquire(&lock->__read_clock);
}

int pthread_rwlock_init(pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attr) {
    bits state = 0;
    if (__norn_is_linked("pthread_rwlockattr_setkind_np")) {
        if (attr && attr->__kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
            state = __NORN_WRITERS_FIRST;
    }
    __norn_store(lock->__state, state);
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    __norn_misuse(read_state(lock) == 0, "destruction of a locked read-write lock");
    __norn_store(lock->__state, DESTROYED);
    return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    __norn_section_begin();
    bits state = read_state(lock);
    _Bool mine = is_mine(state);
    __norn_await(WRITER(state) == 0 || mine);
    __norn_await_spurious(!mine);
    if (!mine)
        take_for_reading(lock, state);
    __norn_section_end();
    return mine ? EDEADLK : 0;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    int result = 0;
    if (WRITER(read_state(lock)))
        return EBUSY;
    __norn_section_begin();
    bits state = read_state(lock);
    if (WRITER(state) == 0)
        take_for_reading(lock, state);
    else
        result = EBUSY;
    __norn_section_end();
    return result;
}

/* The time limits may pass at any time while the lock is held, whatever they are, and are certain to pass. */
int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until) {
    int result = 0;
    (void)until;
    __norn_section_begin();
    bits state = read_state(lock);
    if (WRITER(state) == 0)
        take_for_reading(lock, state);
    else
        result = is_mine(state) ? EDEADLK : ETIMEDOUT;
    __norn_section_end();
    return result;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    __norn_section_begin();
    bits state = read_state(lock);
    _Bool mine = is_mine(state);
    __norn_await(state == 0 || mine);
    __norn_await_spurious(!mine);
    if (!mine)
        take_for_writing(lock);
    __norn_section_end();
    return mine ? EDEADLK : 0;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    int result = 0;
    if (read_state(lock))
        return EBUSY;
    __norn_section_begin();
    if (read_state(lock) == 0)
        take_for_writing(lock);
    else
        result = EBUSY;
    __norn_section_end();
    return result;
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until) {
    int result = 0;
    (void)until;
    __norn_section_begin();
    bits state = read_state(lock);
    if (state == 0)
        take_for_writing(lock);
    else
        result = is_mine(state) ? EDEADLK : ETIMEDOUT;
    __norn_section_end();
    return result;
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    __norn_section_begin();
    bits state = read_state(lock);
    if (WRITER(state)) {
        __norn_misuse(is_mine(state), "unlock of a read-write lock that the calling thread does not hold");
        __norn_release(lock);
        lock->__state = 0;
    } else {
        __norn_misuse((state >> place() & most()) > 0, "unlock of a read-write lock that the calling thread does not hold");
        __norn_release(&lock->__read_clock);
        lock->__state = state - (1ull << place());
    }
    __norn_section_end();
    return 0;
}
