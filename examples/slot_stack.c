// A stack of free slots without locks: a thread pops a slot, uses it as its own, and pushes it back, retrying as often as
// others interfere. The head carries a version that every change increases; without it a slot that was taken and brought
// back in between goes unnoticed (the ABA problem), and two threads come to own the same slot.
//
// expect: sc safe, tso safe, pso safe
// expect -DUNVERSIONED: sc unsafe, tso unsafe, pso unsafe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 3, INDEX = 3 };

#ifdef UNVERSIONED
#define VERSION 0u
#else
#define VERSION 4u
#endif

// The lower two bits are the topmost slot from 1 on, or 0; the others are the version.
static atomic_uint head;
static atomic_uint next[SLOTS + 1];
static atomic_int owner[SLOTS + 1];

static unsigned pop(void)
{
    unsigned old = atomic_load(&head);
    for (;;) {
        unsigned top = old & INDEX;
        if (top == 0) {
            old = atomic_load(&head);
            continue;
        }
        unsigned below = atomic_load(&next[top]);
        if (atomic_compare_exchange_strong(&head, &old, (old & ~3u) + VERSION + below))
            return top;
    }
}

static void push(unsigned slot)
{
    unsigned old = atomic_load(&head);
    do
        atomic_store(&next[slot], old & INDEX);
    while (!atomic_compare_exchange_strong(&head, &old, (old & ~3u) + VERSION + slot));
}

static void use(unsigned slot, int me)
{
    atomic_store(&owner[slot], me);
    assert(atomic_load(&owner[slot]) == me);
}

static void *once(void *arg)
{
    unsigned slot = pop();
    use(slot, 1);
    return arg;
}

static void *twice(void *arg)
{
    unsigned slot = pop();
    push(slot);
    slot = pop();
    use(slot, 2);
    return arg;
}

int main(void)
{
    pthread_t id;
    for (unsigned slot = 1; slot <= SLOTS; slot++)
        push(slot);
    pthread_create(&id, 0, twice, 0);
    pthread_create(&id, 0, once, 0);
    unsigned slot = pop();
    use(slot, 3);
    return 0;
}
