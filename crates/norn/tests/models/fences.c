//// Calls that do not synchronise are no fences: store buffering shows across them.
//// check -m sc -DKIND=0: safe
//// check -m tso,pso -DKIND=0: unsafe assertion
//// check -m tso,pso -DKIND=1: unsafe assertion
//// check -m tso,pso -DKIND=2: unsafe assertion
//// check -m tso,pso -DKIND=3: unsafe assertion
//// check -m tso,pso -DKIND=4: unsafe assertion
//// check -m tso,pso -DKIND=5: unsafe assertion
//// check -m tso,pso -DKIND=6: unsafe assertion
//// check -m tso,pso -DKIND=7: unsafe assertion
//// check -m tso,pso -DKIND=8: unsafe assertion
//// check -m tso,pso -DKIND=9: unsafe assertion
//// check -m tso,pso -DKIND=10: unsafe assertion
//// check -m tso,pso -DKIND=11: unsafe assertion
//// check -m tso,pso -DKIND=12: unsafe assertion
//// check -m tso,pso -e events -DKIND=13: unsafe assertion
//// check -m tso,pso -e events -DKIND=0: unsafe assertion
//// check -m tso,pso -e events -DKIND=2: unsafe assertion
//// check -m tso,pso -e events -DKIND=8: unsafe assertion
//// check -m tso,pso -e states -DKIND=0: unsafe assertion
//// check -m tso,pso -e states -DKIND=8: unsafe assertion
//// check -m tso,pso -e stateless -DKIND=0: unsafe assertion
//// check -m tso,pso -e stateless -DKIND=8: unsafe assertion
//// check -m tso,pso -e rounds --rounds 3 -DKIND=0: unsafe assertion
static atomic_int x, y;
static int a, b;
static struct objects {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    sem_t sem;
} one, two;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void nothing(void) {
}
static void call(struct objects *o) {
    int value;
#if KIND == 0
    pthread_mutex_init(&o->mutex, 0);
#elif KIND == 1
    pthread_mutex_destroy(&o->mutex);
#elif KIND == 2
    pthread_cond_init(&o->cond, 0);
#elif KIND == 3
    pthread_cond_destroy(&o->cond);
#elif KIND == 4
    pthread_rwlock_init(&o->rwlock, 0);
#elif KIND == 5
    pthread_rwlock_destroy(&o->rwlock);
#elif KIND == 6
    pthread_barrier_init(&o->barrier, 0, 2);
#elif KIND == 7
    sem_init(&o->sem, 0, 1);
#elif KIND == 8
    sem_getvalue(&o->sem, &value);
#elif KIND == 9
    sem_destroy(&o->sem);
#elif KIND == 10
    pthread_spin_init(&o->spin, 0);
#elif KIND == 11
    pthread_once(&once, nothing);
#elif KIND == 12
    assert(sem_trywait(&o->sem) == -1);
#elif KIND == 13
    value = getpid();
#endif
    (void)value;
}
THREAD(first) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    call(&one);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}
THREAD(second) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    call(&two);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_once(&once, nothing);
    both(first, second);
    assert(a == 1 || b == 1);
}
//// Only the first lock and the last unlock of a recursive mutex are fences, and an errorcheck mutex that finds an error is none.
//// check -m sc -DKIND=0: safe
//// check -m tso,pso -DKIND=0: unsafe assertion
//// check -m tso,pso -DKIND=1: unsafe assertion
//// check -m tso,pso -DKIND=2: unsafe assertion
//// check -m tso,pso -DKIND=3: unsafe assertion
//// check -m tso,pso -DKIND=4: unsafe assertion
//// check -m tso,pso -e events -DKIND=0: unsafe assertion
//// check -m tso,pso -e states -DKIND=1: unsafe assertion
//// check -m tso,pso -e stateless -DKIND=0: unsafe assertion
//// check -DKIND=5: safe
//// check -e events -DKIND=5: safe
//// check -e states -DKIND=5: safe
static atomic_int x, y;
static int a, b;
static pthread_mutex_t one, two;
static void call(pthread_mutex_t *m) {
#if KIND == 0
    pthread_mutex_lock(m);
#elif KIND == 1
    pthread_mutex_unlock(m);
#elif KIND == 2
    assert(pthread_mutex_trylock(m) == 0);
#elif KIND == 3
    assert(pthread_mutex_timedlock(m, &soon) == 0);
#elif KIND == 4
    assert(pthread_mutex_lock(m) == EDEADLK);
#elif KIND == 5
    pthread_mutex_unlock(m);
    pthread_mutex_unlock(m);
#endif
}
THREAD(first) {
    pthread_mutex_lock(&one);
    if (KIND != 4)
        pthread_mutex_lock(&one);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    call(&one);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}
THREAD(second) {
    pthread_mutex_lock(&two);
    if (KIND != 4)
        pthread_mutex_lock(&two);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    call(&two);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}
int main(void) {
    init_mutex(&one, KIND == 4 ? PTHREAD_MUTEX_ERRORCHECK : PTHREAD_MUTEX_RECURSIVE);
    init_mutex(&two, KIND == 4 ? PTHREAD_MUTEX_ERRORCHECK : PTHREAD_MUTEX_RECURSIVE);
    both(first, second);
    assert(a == 1 || b == 1);
}
//// A recursive mutex with a static initialiser is one, too.
//// check -m tso,pso: unsafe assertion
static atomic_int x, y;
static int a, b;
static pthread_mutex_t one = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, two = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
THREAD(first) {
    pthread_mutex_lock(&one);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    pthread_mutex_lock(&one);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}
THREAD(second) {
    pthread_mutex_lock(&two);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_mutex_lock(&two);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}
int main(void) {
    both(first, second);
    assert(a == 1 || b == 1);
}
//// What is protected by a recursive mutex, or initialised once, is not raced for.
//// check --data-race: safe
//// check --data-race -e events: safe
static int x, y;
static pthread_mutex_t nested = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise(void) {
    y = 1;
}
THREAD(add) {
    pthread_once(&once, initialise);
    assert(y == 1);
    pthread_mutex_lock(&nested);
    pthread_mutex_lock(&nested);
    x++;
    pthread_mutex_unlock(&nested);
    x++;
    pthread_mutex_unlock(&nested);
    return 0;
}
int main(void) {
    both(add, add);
    assert(x == 4);
}
//// Where a mutex is initialised, others may not see it yet if nothing orders that.
//// check -m sc,tso: safe
//// check -m pso: unsafe misuse use of a destroyed mutex
static pthread_mutex_t renewed;
static atomic_int ready;
THREAD(use) {
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        pthread_mutex_lock(&renewed);
    return 0;
}
int main(void) {
    pthread_mutex_destroy(&renewed);
    pthread_t user = start(use);
    pthread_mutex_init(&renewed, 0);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    finish(user);
}
//// What main initialises in a loop before it creates a thread fills no store buffer.
//// check -e states: safe
//// check -e stateless: safe
#define MANY 40
static pthread_mutex_t all[MANY];
static int n;
THREAD(uses) {
    pthread_mutex_lock(&all[MANY - 1]);
    n++;
    pthread_mutex_unlock(&all[MANY - 1]);
    return 0;
}
int main(void) {
    for (int i = 0; i < MANY; i++)
        pthread_mutex_init(&all[i], 0);
    both(uses, uses);
    assert(n == 2);
}
