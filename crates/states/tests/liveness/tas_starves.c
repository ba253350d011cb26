// never, never, never
// The first thread takes and gives back the lock until it sees that it is done. A fair scheduler may let the
// second try whenever the lock is taken, and only then: it spins for ever, and done is never set.
#include <pthread.h>
#include <stdatomic.h>
atomic_int taken, done;
void *first(void *arg) {
    while (!done) {
        while (atomic_exchange(&taken, 1));
        atomic_store(&taken, 0);
    }
    return 0;
}
void *second(void *arg) {
    while (atomic_exchange(&taken, 1));
    done = 1;
    atomic_store(&taken, 0);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
