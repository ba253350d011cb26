// never, never, never
// Somebody has taken the tail but not linked its node yet. Who gives up then lets nobody go, and that thread
// spins for ever.
#include <pthread.h>
#include <stdatomic.h>
struct node { struct node *_Atomic next; atomic_int locked; };
struct node *_Atomic tail;
static struct node nodes[2];
void *worker(void *arg) {
    struct node *own = arg;
    own->next = 0;
    own->locked = 1;
    struct node *before = atomic_exchange(&tail, own);
    if (before) {
        before->next = own;
        while (own->locked);
    }
    if (!own->next) {
        struct node *expected = own;
        if (atomic_compare_exchange_strong(&tail, &expected, 0))
            return 0;
        return 0;
    }
    own->next->locked = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, &nodes[0]);
    pthread_create(&b, 0, worker, &nodes[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
