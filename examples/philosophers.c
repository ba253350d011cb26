// Three philosophers, each of whom takes the left fork and then the right one. When all hold their left forks, none can
// go on: a deadlock, which is looked for with --deadlock. It cannot happen when one of them begins on the right.
//
// expect: sc safe, tso safe, pso safe
// expect --deadlock: sc unsafe, tso unsafe, pso unsafe
// expect --deadlock -DONE_LEFT_HANDED: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>

enum { COUNT = 3 };

static pthread_mutex_t forks[COUNT];
static int used[COUNT];
static int places[COUNT];

static void *dine(void *place)
{
    int left = *(int *)place;
    int right = (left + 1) % COUNT;
#ifdef ONE_LEFT_HANDED
    if (left == COUNT - 1) {
        left = 0;
        right = COUNT - 1;
    }
#endif
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    used[left]++;
    used[right]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t philosophers[COUNT];
    for (int i = 0; i < COUNT; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < COUNT; i++) {
        places[i] = i;
        pthread_create(&philosophers[i], NULL, dine, &places[i]);
    }
    for (int i = 0; i < COUNT; i++)
        pthread_join(philosophers[i], NULL);
    for (int i = 0; i < COUNT; i++)
        assert(used[i] == 2);
    return 0;
}
