//// With glibc's headers: mutexes of all static kinds, init, condition variable and semaphore.
//// check --system-headers --deadlock: safe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int ready;
static void *signals(void *argument) {
    pthread_mutex_lock(&plain);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&plain);
    sem_post(&sem);
    return argument;
}
int main(void) {
    pthread_t thread;
    sem_init(&sem, 0, 0);
    assert(pthread_create(&thread, NULL, signals, NULL) == 0);
    pthread_mutex_lock(&plain);
    while (!ready)
        pthread_cond_wait(&cond, &plain);
    pthread_mutex_unlock(&plain);
    sem_wait(&sem);
    assert(ready == 1);
    assert(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_lock(&errorcheck) == 0 && pthread_mutex_lock(&errorcheck) == EDEADLK);
    assert(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    pthread_join(thread, NULL);
}
//// With glibc's headers: rwlock, barrier, spinlock, once, keys, attributes.
//// check --system-headers --deadlock -m sc,pso: safe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int runs, x, destroyed;
static void init(void) {
    runs++;
}
static void destroy(void *value) {
    destroyed++;
}
static void *works(void *argument) {
    pthread_once(&once, init);
    pthread_setspecific(key, &x);
    pthread_rwlock_wrlock(&rwlock);
    x++;
    pthread_rwlock_unlock(&rwlock);
    pthread_barrier_wait(&barrier);
    assert(x == 2);
    pthread_spin_lock(&spin);
    runs++;
    pthread_spin_unlock(&spin);
    return NULL;
}
int main(void) {
    pthread_t thread;
    pthread_attr_t attr;
    pthread_mutexattr_t mutexattr;
    pthread_mutex_t mutex;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE);
    pthread_mutexattr_init(&mutexattr);
    pthread_mutexattr_settype(&mutexattr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &mutexattr);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_key_create(&key, destroy);
    pthread_create(&thread, &attr, works, NULL);
    works(NULL);
    pthread_join(thread, NULL);
    assert(runs == 3 && destroyed == 1);
}
//// With glibc's headers: C11 threads and atomics.
//// check --system-headers: safe
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>
static mtx_t m;
static cnd_t c;
static once_flag flag = ONCE_FLAG_INIT;
static atomic_int count;
static void init(void) {
    atomic_fetch_add(&count, 1);
}
static int works(void *argument) {
    call_once(&flag, init);
    mtx_lock(&m);
    atomic_fetch_add(&count, 1);
    mtx_unlock(&m);
    return 3;
}
int main(void) {
    thrd_t thread;
    int result;
    assert(mtx_init(&m, mtx_plain | mtx_recursive) == thrd_success);
    assert(cnd_init(&c) == thrd_success);
    assert(thrd_create(&thread, works, 0) == thrd_success);
    call_once(&flag, init);
    assert(mtx_lock(&m) == thrd_success && mtx_lock(&m) == thrd_success);
    mtx_unlock(&m);
    mtx_unlock(&m);
    assert(thrd_join(thread, &result) == thrd_success && result == 3);
    assert(atomic_load(&count) == 2);
}
//// A violation is shown in the line of the file as it was before preprocessing.
//// check --system-headers: unsafe misuse unlock of a mutex that the calling thread does not hold @wrong
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
    pthread_mutex_unlock(&mutex); // @wrong
}
//// Cleanup handlers as glibc expands them are not supported.
//// check --system-headers: unknown cleanup handlers of threads are not supported @pushes
#include <pthread.h>
static void handler(void *argument) {
}
int main(void) {
    pthread_cleanup_push(handler, 0); // @pushes
    pthread_cleanup_pop(1);
}
