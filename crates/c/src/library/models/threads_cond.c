/* C11 condition variables are POSIX condition variables. */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

static int result_of(int error) {
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int cnd_init(cnd_t *cond) {
    return result_of(pthread_cond_init(cond, 0));
}

void cnd_destroy(cnd_t *cond) {
    pthread_cond_destroy(cond);
}

int cnd_wait(cnd_t *cond, mtx_t *mutex) {
    return result_of(pthread_cond_wait(cond, mutex));
}

int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict until) {
    return result_of(pthread_cond_timedwait(cond, mutex, until));
}

int cnd_signal(cnd_t *cond) {
    return result_of(pthread_cond_signal(cond));
}

int cnd_broadcast(cnd_t *cond) {
    return result_of(pthread_cond_broadcast(cond));
}
