// never, never, never
// Each thread undoes what the other one does: the number goes up and down between 0 and 1 and comes to neither
// goal.
#include <pthread.h>
#include <stdatomic.h>
atomic_int number;
void *first(void *arg) {
    while (atomic_fetch_add(&number, 1) < 1);
    return 0;
}
void *second(void *arg) {
    while (atomic_fetch_sub(&number, 1) > -1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
