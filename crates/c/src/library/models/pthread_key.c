/* Thread-specific data. Keys are numbers that are not used again after a deletion, so a new key's value is null in every thread
   without anybody having to clear it. Destructors are called in the order in which their keys were made, as glibc does; POSIX
   leaves it open. Creation and deletion are read-modify-writes in glibc and hence fences here; nothing else is. */
#include <norn_errno.h>
#include <norn.h>
#include <norn_pthread.h>

#define KEYS 32
#define ROUNDS 4

static unsigned int created;
static void (*destructors[KEYS])(void *);
static _Thread_local void *values[KEYS];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    __norn_section_begin();
    unsigned int number = created;
    if (number < KEYS) {
        created = number + 1;
        destructors[number] = destructor;
    }
    __norn_section_end();
    if (number >= KEYS)
        __norn_unsupported("more than 32 keys of thread-specific data");
    *key = number;
    return 0;
}

int pthread_key_delete(pthread_key_t key) {
    if (key >= KEYS)
        return EINVAL;
    __norn_section_begin();
    destructors[key] = 0;
    __norn_section_end();
    return 0;
}

void *pthread_getspecific(pthread_key_t key) {
    return key < KEYS ? values[key] : 0;
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    if (key >= KEYS)
        return EINVAL;
    values[key] = (void *)value;
    return 0;
}

/* Called at the end of a thread, in programs that have keys at all. A destructor may make more keys. */
void __model_run_destructors(void) {
    unsigned int count = __norn_load(created);
    _Bool called = 1;
    for (int round = 0; round < ROUNDS && called; round++) {
        called = 0;
        for (unsigned int key = 0; key < count; key++) {
            void *value = values[key];
            if (value) {
                void (*destructor)(void *) = __norn_load(destructors[key]);
                if (destructor) {
                    values[key] = 0;
                    destructor(value);
                    called = 1;
                    count = __norn_load(created);
                }
            }
        }
    }
}
