/* C11 mutexes are POSIX mutexes. */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

static int result_of(int error) {
    return error == 0 ? thrd_success : error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int mtx_init(mtx_t *mutex, int type) {
    __norn_mutex_kinds();
    pthread_mutexattr_t attr = { type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL };
    return result_of(pthread_mutex_init(mutex, &attr));
}

void mtx_destroy(mtx_t *mutex) {
    pthread_mutex_destroy(mutex);
}

int mtx_lock(mtx_t *mutex) {
    return result_of(pthread_mutex_lock(mutex));
}

_Bool __norn_nondet_busy(void);

/* May fail for no reason. */
int mtx_trylock(mtx_t *mutex) {
    if (__norn_nondet_busy())
        return thrd_busy;
    return result_of(pthread_mutex_trylock(mutex));
}

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until) {
    return result_of(pthread_mutex_timedlock(mutex, until));
}

int mtx_unlock(mtx_t *mutex) {
    return result_of(pthread_mutex_unlock(mutex));
}
