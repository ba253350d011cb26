// never, never, never
// A reader comes and goes until it sees what the writer writes. The writer needs a moment without readers, and
// may look at the wrong ones only.
#include <pthread.h>
#include <stdatomic.h>
atomic_int readers, data;
void *first(void *arg) {
    int seen;
    do {
        while (atomic_fetch_add(&readers, 1) < 0)
            atomic_fetch_sub(&readers, 1);
        seen = data;
        atomic_fetch_sub(&readers, 1);
    } while (!seen);
    return 0;
}
void *second(void *arg) {
    for (int none = 0; !atomic_compare_exchange_strong(&readers, &none, -8); none = 0);
    data = 1;
    atomic_fetch_add(&readers, 8);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
