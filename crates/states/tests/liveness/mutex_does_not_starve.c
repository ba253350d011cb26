// ends, ends, ends
// The same with a mutex of the library. The second thread can take it again and again, each time that the first
// has given it back, so it does some time.
#include <pthread.h>
#include <stdatomic.h>
int done;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *first(void *arg) {
    int seen = 0;
    while (!seen) {
        pthread_mutex_lock(&m);
        seen = done;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
void *second(void *arg) {
    pthread_mutex_lock(&m);
    done = 1;
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
