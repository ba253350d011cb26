// never, never, never
// Two kinds of waiting threads share one condition variable, and the only signal may wake the thread that cannot
// use it. That thread waits again, and the other one is never woken.
#include <pthread.h>
#include <stdatomic.h>
int item, other_item;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *first(void *arg) {
    pthread_mutex_lock(&m);
    while (!item)
        pthread_cond_wait(&c, &m);
    other_item = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
void *second(void *arg) {
    pthread_mutex_lock(&m);
    while (!other_item)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_mutex_lock(&m);
    item = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
