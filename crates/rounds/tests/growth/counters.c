/* Three threads retry a compare-and-swap until it succeeds; much is computed locally in between. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int sum;
int mixed[3];

static unsigned mix(unsigned value) {
    for (int n = 0; n < 4; n++)
        value = (value ^ value >> 3) * 5 + (unsigned)n;
    return value;
}

void *add(void *arg) {
    int number = (int)(long)arg;
    int seen = atomic_load(&sum);
    while (!atomic_compare_exchange_weak(&sum, &seen, seen + number))
        ;
    mixed[number - 1] = (int)mix((unsigned)seen);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (long n = 0; n < 3; n++)
        pthread_create(&threads[n], 0, add, (void *)(n + 1));
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], 0);
    assert(sum == 6);
    return 0;
}
