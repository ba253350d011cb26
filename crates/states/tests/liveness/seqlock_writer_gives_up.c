// never, never, never
// The writer returns in the middle if there is nothing new, and leaves the version odd.
#include <pthread.h>
#include <stdatomic.h>
atomic_int version, data;
void *first(void *arg) {
    atomic_fetch_add(&version, 1);
    if (data == 0)
        return 0;
    atomic_fetch_add(&version, 1);
    return 0;
}
void *second(void *arg) {
    while (version & 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
