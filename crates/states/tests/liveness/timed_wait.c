// ends, ends, ends
// A wait with a time limit comes to its end; then the thread looks for the flag anew, and gives the lock back in
// between, so that the other one can set it.
#include <pthread.h>
#include <time.h>
int ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *first(void *arg) {
    struct timespec limit = { 0 };
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_timedwait(&c, &m, &limit);
    pthread_mutex_unlock(&m);
    return 0;
}
void *second(void *arg) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
