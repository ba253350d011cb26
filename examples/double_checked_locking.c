// Double-checked locking: an object is made once, under a lock, but whoever sees the pointer later skips the lock.
// Under PSO the pointer may become visible before the object that it points to is ready, unless it is published by
// a release store; as far as C is concerned, it is a data race without one, under all three models.
//
// expect: sc safe, tso safe, pso unsafe
// expect -DRELEASE: sc safe, tso safe, pso safe
// expect --data-race: sc unsafe, tso unsafe, pso unsafe
// expect --data-race -DRELEASE: sc safe, tso safe, pso safe
// expect --data-race -e events -DRELEASE: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELEASE
#define ORDER memory_order_release
#else
#define ORDER memory_order_relaxed
#endif

struct config {
    int ready;
};

static struct config storage;
static struct config *_Atomic instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void)
{
    struct config *config = atomic_load_explicit(&instance, memory_order_acquire);
    if (config == NULL) {
        pthread_mutex_lock(&mutex);
        config = atomic_load_explicit(&instance, memory_order_relaxed);
        if (config == NULL) {
            config = &storage;
            config->ready = 1;
            atomic_store_explicit(&instance, config, ORDER);
        }
        pthread_mutex_unlock(&mutex);
    }
    return config;
}

static void *use(void *unused)
{
    (void)unused;
    assert(get()->ready == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
