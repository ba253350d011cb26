// never, never, never
// Who does not get the second fork puts the first one down and begins again. In step, they do so for ever.
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static void eat(pthread_mutex_t *one, pthread_mutex_t *other) {
    for (;;) {
        pthread_mutex_lock(one);
        if (pthread_mutex_trylock(other) == 0)
            break;
        pthread_mutex_unlock(one);
    }
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}
void *first(void *arg) {
    eat(&left, &right);
    return 0;
}
void *second(void *arg) {
    eat(&right, &left);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
