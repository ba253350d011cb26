/* Unnamed semaphores: a call that waits or posts is one step. The value is negative once destroyed. A look at the value is no fence,
   nor is a wait that fails because of what it saw. */
#include <limits.h>
#include <norn_cancel.h>
#include <norn_errno.h>
#include <semaphore.h>

_Static_assert(sizeof(sem_t) == (sizeof(long) == 8 ? 32 : 16), "glibc's size");
#define DESTROYED (-1)

static int read_value(const sem_t *sem) {
    int value = __norn_load(sem->__value);
    __norn_misuse(value >= 0, "use of a semaphore that is destroyed or not initialised");
    return value;
}

/* What a call returns to say that it failed. */
static int fail(int error) {
    errno = error;
    return -1;
}

static void take(sem_t *sem, int value) {
    sem->__value = value - 1;
    __norn_acquire(sem);
}

int sem_init(sem_t *sem, int shared, unsigned int value) {
    (void)shared;
    if (value > SEM_VALUE_MAX)
        return fail(EINVAL);
    __norn_store(sem->__value, (int)value);
    return 0;
}

int sem_destroy(sem_t *sem) {
    read_value(sem);
    __norn_store(sem->__value, DESTROYED);
    return 0;
}

/* A wait of a thread that may be cancelled meanwhile; whether it got what it waited for. */
static _Bool wait_or_act(sem_t *sem, _Bool timed) {
    _Bool must = __model_is_cancelled();
    __norn_section_begin();
    int value = read_value(sem);
    _Bool cancelled = __model_is_cancelled();
    __norn_await(value > 0 || cancelled || timed);
    _Bool acts = __model_acts(cancelled, must || (value == 0 && !timed));
    if (value > 0 && !acts)
        take(sem, value);
    __norn_section_end();
    if (acts)
        __model_act();
    return value > 0;
}

int sem_wait(sem_t *sem) {
    if (__norn_is_linked("pthread_cancel")) {
        wait_or_act(sem, 0);
        return 0;
    }
    __norn_section_begin();
    int value = read_value(sem);
    __norn_await(value > 0);
    take(sem, value);
    __norn_section_end();
    return 0;
}

int sem_trywait(sem_t *sem) {
    if (read_value(sem) == 0)
        return fail(EAGAIN);
    __norn_section_begin();
    int value = read_value(sem);
    if (value > 0)
        take(sem, value);
    __norn_section_end();
    return value > 0 ? 0 : fail(EAGAIN);
}

/* The time limit may pass at any time while the value is 0, whatever the limit is, and is certain to pass. */
int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until) {
    (void)until;
    if (__norn_is_linked("pthread_cancel"))
        return wait_or_act(sem, 1) ? 0 : fail(ETIMEDOUT);
    __norn_section_begin();
    int value = read_value(sem);
    if (value > 0)
        take(sem, value);
    __norn_section_end();
    return value > 0 ? 0 : fail(ETIMEDOUT);
}

int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until) {
    (void)clock;
    return sem_timedwait(sem, until);
}

int sem_post(sem_t *sem) {
    __norn_section_begin();
    int value = read_value(sem);
    if (value < SEM_VALUE_MAX) {
        __norn_release(sem);
        sem->__value = value + 1;
    }
    __norn_section_end();
    return value < SEM_VALUE_MAX ? 0 : fail(EOVERFLOW);
}

int sem_getvalue(sem_t *restrict sem, int *restrict value) {
    *value = read_value(sem);
    return 0;
}
