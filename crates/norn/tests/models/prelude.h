/* What every program of this folder begins with. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#define THREAD(name) static void *name(void *argument)

static inline pthread_t start(void *(*function)(void *)) {
    pthread_t thread;
    assert(pthread_create(&thread, 0, function, 0) == 0);
    return thread;
}

static inline void finish(pthread_t thread) {
    assert(pthread_join(thread, 0) == 0);
}

/* Runs two threads to their ends. */
static inline void both(void *(*first)(void *), void *(*second)(void *)) {
    pthread_t a = start(first), b = start(second);
    finish(a);
    finish(b);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static inline void lock(void) {
    assert(pthread_mutex_lock(&mutex) == 0);
}

static inline void unlock(void) {
    assert(pthread_mutex_unlock(&mutex) == 0);
}

static inline void init_mutex(pthread_mutex_t *m, int type) {
    pthread_mutexattr_t attr;
    assert(pthread_mutexattr_init(&attr) == 0);
    assert(pthread_mutexattr_settype(&attr, type) == 0);
    assert(pthread_mutex_init(m, &attr) == 0);
    assert(pthread_mutexattr_destroy(&attr) == 0);
}

static const struct timespec soon = { 1, 0 };
