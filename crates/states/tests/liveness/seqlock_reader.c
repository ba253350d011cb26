// ends, ends, ends
// The reader begins again while a write is under way or came in between. There is one write, and it comes to its
// end.
#include <pthread.h>
#include <stdatomic.h>
atomic_int version, data;
void *first(void *arg) {
    atomic_fetch_add(&version, 1);
    data = 1;
    atomic_fetch_add(&version, 1);
    return 0;
}
void *second(void *arg) {
    int before, seen;
    do {
        while ((before = version) & 1);
        seen = data;
    } while (version != before);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
