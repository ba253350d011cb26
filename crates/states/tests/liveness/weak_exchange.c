// ends, ends, ends
// A weak compare-exchange fails for no reason, but not for ever; and who fails for a reason does so because
// another one succeeded, which happens twice.
#include <pthread.h>
#include <stdatomic.h>
atomic_int number;
void *worker(void *arg) {
    int seen = number;
    while (!atomic_compare_exchange_weak(&number, &seen, seen + 1));
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
