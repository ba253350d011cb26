// ends, ends, ends
// Who finds somebody behind itself waits until that thread has linked its node, which it does next, and then
// lets it go.
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
        while (!own->next);
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
