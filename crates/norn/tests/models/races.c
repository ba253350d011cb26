//// Two plain accesses without any order race, and the message names both places.
//// check --data-race: unsafe data-race write of 'x' by main at {here}:7 and write by main.1 at {there}:7 are not ordered
static int x;
THREAD(writes) {
    x = 1; // @there
    return 0;
}
int main(void) {
    pthread_t thread = start(writes);
    x = 2; // @here
    finish(thread);
}
//// A read and a write race too, two reads do not.
//// check --data-race: unsafe data-race
//// check --data-race -DREADS: safe
static int x;
THREAD(reads) {
    int y = x;
    return 0;
}
int main(void) {
    start(reads);
#ifdef READS
    int y = x;
#else
    x = 2;
#endif
}
//// Different members, elements and objects do not race.
//// check --data-race: safe
//// check --data-race -DSAME: unsafe data-race 's.a'
static struct { int a, b; } s;
static int array[2];
THREAD(writes) {
    s.a = 1;
    array[0] = 1;
    return 0;
}
int main(void) {
    start(writes);
#ifdef SAME
    s.a = 1;
#endif
    s.b = 1;
    array[1] = 1;
}
//// Create and join order.
//// check --data-race: safe
//// check --data-race -DNOT_JOINED: unsafe data-race {late}
static int x;
THREAD(writes) {
    x++;
    return 0;
}
int main(void) {
    x = 1;
    pthread_t thread = start(writes);
#ifndef NOT_JOINED
    finish(thread);
#endif
    x++; // @late
}
//// A mutex orders; two different ones do not.
//// check --data-race -DOTHER=mutex: safe
//// check --data-race -DOTHER=another: unsafe data-race by main at {second}:7 and write by main.1 at {first}:7
static pthread_mutex_t another = PTHREAD_MUTEX_INITIALIZER;
static int x;
THREAD(writes) {
    pthread_mutex_lock(&OTHER);
    x = 1; // @first
    pthread_mutex_unlock(&OTHER);
    return 0;
}
int main(void) {
    start(writes);
    lock();
    x = 2; // @second
    unlock();
}
//// A lock on one side only does not order.
//// check --data-race: unsafe data-race
static int x;
THREAD(writes) {
    lock();
    x = 1;
    unlock();
    return 0;
}
int main(void) {
    start(writes);
    x = 2;
}
//// A semaphore orders.
//// check --data-race: safe
//// check --data-race -DWITHOUT: unsafe data-race
static sem_t sem;
static int x;
THREAD(writes) {
    x = 1;
    sem_post(&sem);
    return 0;
}
int main(void) {
    start(writes);
#ifndef WITHOUT
    sem_wait(&sem);
#endif
    x = 2;
}
//// A barrier orders what is before it with what is after it, not what is on the same side.
//// check --data-race: safe
//// check --data-race -DWITHOUT: unsafe data-race
//// check --data-race -DLATE: unsafe data-race
static pthread_barrier_t barrier;
static int x;
THREAD(writes) {
    x = 1;
#ifndef WITHOUT
    pthread_barrier_wait(&barrier);
#endif
#ifdef LATE
    x = 3;
#endif
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 2);
    start(writes);
#ifndef WITHOUT
    pthread_barrier_wait(&barrier);
#endif
    x = 2;
}
//// A once control orders its function before whoever has passed it.
//// check --data-race: safe
//// check --data-race -DWITHOUT: unsafe data-race
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int x;
static void init(void) {
    x = 1;
}
THREAD(uses) {
    pthread_once(&once, init);
    return 0;
}
int main(void) {
    start(uses);
#ifndef WITHOUT
    pthread_once(&once, init);
#endif
    int y = x;
}
//// Release and acquire order; relaxed does not, on either side.
//// check --data-race -DSTORE=release -DLOAD=acquire: safe
//// check --data-race -DSTORE=seq_cst -DLOAD=seq_cst: safe
//// check --data-race -DSTORE=relaxed -DLOAD=acquire: unsafe data-race {write}
//// check --data-race -DSTORE=release -DLOAD=relaxed: unsafe data-race {read}
static atomic_int flag;
static int x;
#define ORDER(name) JOINED(name)
#define JOINED(name) memory_order_##name
THREAD(writes) {
    x = 1; // @write
    atomic_store_explicit(&flag, 1, ORDER(STORE));
    return 0;
}
int main(void) {
    start(writes);
    if (atomic_load_explicit(&flag, ORDER(LOAD)))
        x = 2; // @read
}
//// Fences make relaxed accesses order; both are needed.
//// check --data-race -DFIRST=release -DSECOND=acquire: safe
//// check --data-race -DFIRST=seq_cst -DSECOND=seq_cst: safe
//// check --data-race -DFIRST=relaxed -DSECOND=acquire: unsafe data-race
//// check --data-race -DFIRST=release -DSECOND=relaxed: unsafe data-race
static atomic_int flag;
static int x;
#define ORDER(name) JOINED(name)
#define JOINED(name) memory_order_##name
THREAD(writes) {
    x = 1;
    atomic_thread_fence(ORDER(FIRST));
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}
int main(void) {
    start(writes);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(ORDER(SECOND));
        x = 2;
    }
}
//// The built-in functions of compilers are atomic as well.
//// check --data-race: safe
static int x;
THREAD(adds) {
    __sync_fetch_and_add(&x, 1);
    __atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST);
    return 0;
}
int main(void) {
    both(adds, adds);
    assert(x == 4);
}
//// An atomic access and a plain one race.
//// check --data-race: unsafe data-race
static int x;
THREAD(adds) {
    __sync_fetch_and_add(&x, 1);
    return 0;
}
int main(void) {
    start(adds);
    x = 2;
}
//// A read-write lock orders readers after writers and writers after both.
//// check --data-race: safe
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
static int x;
THREAD(writes) {
    pthread_rwlock_wrlock(&lk);
    x++;
    pthread_rwlock_unlock(&lk);
    return 0;
}
int main(void) {
    pthread_t thread = start(writes);
    pthread_rwlock_rdlock(&lk);
    int y = x;
    pthread_rwlock_unlock(&lk);
    pthread_rwlock_wrlock(&lk);
    x++;
    pthread_rwlock_unlock(&lk);
    finish(thread);
}
//// What one thread reads under a read lock and writes without one races with the writer.
//// check --data-race: unsafe data-race
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
static int x;
THREAD(writes) {
    pthread_rwlock_wrlock(&lk);
    x++;
    pthread_rwlock_unlock(&lk);
    return 0;
}
int main(void) {
    start(writes);
    pthread_rwlock_rdlock(&lk);
    pthread_rwlock_unlock(&lk);
    int y = x;
}
//// What the library reads for the user races with what the user writes.
//// check --data-race: unsafe data-race
#include <string.h>
static char text[4];
THREAD(measures) {
    strlen(text);
    return 0;
}
int main(void) {
    start(measures);
    text[0] = 'x';
}
//// A failed trylock orders nothing, also where loops are unrolled.
//// check --data-race: unsafe data-race {late}
//// check --data-race --unwind 2: unsafe data-race {late}
static int x;
THREAD(writes) {
    x = 1;
    pthread_mutex_trylock(&mutex);
    return 0;
}
int main(void) {
    start(writes);
    if (pthread_mutex_trylock(&mutex) == EBUSY)
        x = 2; // @late
}
//// Where loops are unrolled, locks still order, and a program without a race is safe.
//// check --data-race: safe
//// check --data-race --unwind 2: safe
//// check --data-race --unwind 2 -DUNLOCKED: unsafe data-race
static int x;
THREAD(writes) {
    for (int i = 0; i < 2; i++) {
        lock();
        x = i;
        unlock();
    }
    return 0;
}
int main(void) {
    start(writes);
#ifdef UNLOCKED
    x = 2;
#else
    lock();
    x = 2;
    unlock();
#endif
}
//// A plain access races with an atomic one of another thread, also beside an atomic access of its own thread.
//// check --data-race: unsafe data-race
//// check --data-race -e events: unsafe data-race
//// check --data-race -DFIRST: unsafe data-race
//// check --data-race -DFIRST -e events: unsafe data-race
//// check --data-race -DATOMIC: safe
//// check --data-race -DATOMIC -e events: safe
static int x;
THREAD(mixes) {
    int seen = 0;
#ifdef FIRST
    seen = x;
#endif
    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
#if !defined FIRST && !defined ATOMIC
    seen = x;
#endif
    return 0;
}
THREAD(stores) {
    __atomic_store_n(&x, 2, __ATOMIC_RELAXED);
    return 0;
}
int main(void) {
    start(mixes);
    start(stores);
}
//// Adjacent bit-fields are one memory location, also where they fill bytes of their own. A width of 0 separates them.
//// check --data-race -DFIELDS=a:8;char/**/b:8: unsafe data-race
//// check --data-race -e events -DFIELDS=a:8;char/**/b:8: unsafe data-race
//// check --data-race -e auto -m sc -DFIELDS=a:8;char/**/b:8: unsafe data-race
//// check --data-race -DFIELDS=a:8;int/**/b:4: unsafe data-race
//// check --data-race -e events -DFIELDS=a:8;int/**/b:4: unsafe data-race
//// check --data-race -DFIELDS=c;int/**/a:8;char/**/b:8: unsafe data-race
//// check --data-race -DFIELDS=a:8;char:0;char/**/b:8: safe
//// check --data-race -e events -DFIELDS=a:8;char:0;char/**/b:8: safe
//// check --data-race -DFIELDS=a:8;char/**/c;char/**/b:8: safe
//// check --data-race -DFIELDS=a:8;char/**/b: safe
//// check --data-race -DFIELDS=a:8;char/**/b:8 -DREAD: safe
static struct { char FIELDS; } s;
THREAD(first) {
#ifdef READ
    int x = s.a;
#else
    s.a = 1;
#endif
    return 0;
}
int main(void) {
    pthread_t thread = start(first);
#ifdef READ
    int x = s.b;
#else
    s.b = 1;
#endif
    finish(thread);
}
//// A field of 32 bits is in one location with the narrow one behind it.
//// check --data-race: unsafe data-race
//// check --data-race --32: unsafe data-race
//// check --data-race -e events: unsafe data-race
static struct { int a : 32, b : 4; } s;
THREAD(first) {
    s.a = 1;
    return 0;
}
int main(void) {
    pthread_t thread = start(first);
    s.b = 1;
    finish(thread);
}
//// To initialise an atomic object is no atomic access.
//// check --data-race: unsafe data-race
//// check --data-race -e events: unsafe data-race
//// check --data-race -e auto -m sc: unsafe data-race
//// check --data-race -DBEFORE: safe
//// check --data-race -e events -DBEFORE: safe
static _Atomic int x;
THREAD(reads) {
    atomic_load(&x);
    return 0;
}
int main(void) {
#ifdef BEFORE
    atomic_init(&x, 1);
#endif
    pthread_t thread = start(reads);
#ifndef BEFORE
    atomic_init(&x, 1);
#endif
    finish(thread);
}
//// An idle iteration races also where termination is asked about.
//// check --data-race: unsafe data-race
//// check --data-race -e events: unsafe data-race
//// check --data-race --termination -e events: unsafe data-race
//// check --data-race --termination -e states: unsafe data-race
static atomic_int flag;
THREAD(waits) {
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    return 0;
}
int main(void) {
    pthread_t waiting = start(waits);
    *(int *)&flag = 0;
    atomic_store_explicit(&flag, 1, memory_order_release);
    finish(waiting);
}
//// What an idle iteration reads races with what comes after the loop, although the last iteration does not read it.
//// check --data-race: unsafe data-race
//// check --data-race -e events: unsafe data-race
//// check --data-race -e states: unsafe data-race
//// check --data-race -e stateless: unsafe data-race
//// check --data-race --termination -e events: unsafe data-race
//// check --data-race --termination -e states: unsafe data-race
//// check --data-race -DATOMIC: unsafe data-race
//// check --data-race -DATOMIC -e events: unsafe data-race
//// check --data-race -DATOMIC -e states: unsafe data-race
//// check --data-race -DATOMIC -e stateless: unsafe data-race
//// check --data-race -DATOMIC --termination -e events: unsafe data-race
#ifdef ATOMIC
static atomic_int x;
#define LOOK_AT_X atomic_load_explicit(&x, memory_order_relaxed)
#else
static int x;
#define LOOK_AT_X x
#endif
static atomic_int flag, has_left;
THREAD(waits) {
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        LOOK_AT_X;
    atomic_store_explicit(&has_left, 1, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t waiting = start(waits);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    if (atomic_load_explicit(&has_left, memory_order_relaxed))
        *(int *)&x = 1;
    finish(waiting);
}
