/* A thread begins when its creator has stored its identifier, as with glibc. Part of a program that stores identifiers where
   several threads can look: the driver finds that out. */
#include <norn.h>
#include <norn_pthread.h>

#define TRACKED 64

static unsigned long long stored;

/* In the creator, after the identifier. */
void __model_id_is_stored(pthread_t thread) {
    if (thread >= TRACKED)
        __norn_unsupported("creating more than 64 threads with identifiers that other threads can read");
    __norn_section_begin();
    stored |= 1ull << thread;
    __norn_release(&stored);
    __norn_section_end();
}

/* In the new thread, before anything else. */
void __model_wait_for_id(void) {
    __norn_section_begin();
    __norn_await((stored >> __norn_self() & 1) != 0);
    __norn_acquire(&stored);
    __norn_section_end();
}
