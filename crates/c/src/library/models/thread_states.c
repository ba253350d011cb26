/* Which threads can no longer be joined: they are detached, or somebody has begun to join them. Where several threads join or
   detach the same one without waiting for one another, some schedule runs the calls one after the other: so the set needs no
   section to be changed. */
#include <norn.h>
#include <norn_pthread.h>

#define TRACKED 64

static unsigned long long gone;

/* Whether the thread could be joined until now. */
_Bool __norn_let_thread_go(pthread_t thread) {
    if (thread >= TRACKED)
        return 1;
    unsigned long long before = __norn_load(gone);
    __norn_store(gone, before | 1ull << thread);
    return (before >> thread & 1) == 0;
}
