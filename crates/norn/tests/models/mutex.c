//// A lock excludes: of two increments none is lost.
//// check: safe
//// check -DUNLOCKED: unsafe assertion x == 2
static int x;
THREAD(add) {
#ifndef UNLOCKED
    lock();
    x++;
    unlock();
#else
    x++;
#endif
    return 0;
}
int main(void) {
    both(add, add);
    assert(x == 2);
}
//// A lock empties the store buffer, so that Dekker's test works with any mutex in between.
//// check: safe
//// check -m sc -DUNLOCKED: safe
//// check -m tso,pso -DUNLOCKED: unsafe assertion
static int x, y, a, b;
static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, yours = PTHREAD_MUTEX_INITIALIZER;
THREAD(first) {
    x = 1;
#ifndef UNLOCKED
    pthread_mutex_lock(&mine);
#endif
    a = y;
    return 0;
}
THREAD(second) {
    y = 1;
#ifndef UNLOCKED
    pthread_mutex_lock(&yours);
#endif
    b = x;
    return 0;
}
int main(void) {
    both(first, second);
    assert(a == 1 || b == 1);
}
//// An unlock empties the store buffer.
//// check: safe
static int x, y, a, b;
static pthread_mutex_t yours = PTHREAD_MUTEX_INITIALIZER;
THREAD(first) {
    pthread_mutex_lock(&mutex);
    x = 1;
    pthread_mutex_unlock(&mutex);
    a = y;
    return 0;
}
THREAD(second) {
    pthread_mutex_lock(&yours);
    y = 1;
    pthread_mutex_unlock(&yours);
    b = x;
    return 0;
}
int main(void) {
    both(first, second);
    assert(a == 1 || b == 1);
}
//// A normal mutex that its owner locks again blocks for ever.
//// check: safe
//// check --deadlock: unsafe deadlock main waits at {again} in 'pthread_mutex_lock' @again
int main(void) {
    lock();
    pthread_mutex_lock(&mutex); // @again
    assert(0);
}
//// Two locks in opposite orders deadlock, in the same order they do not.
//// check --deadlock: unsafe deadlock
//// check --deadlock -DORDERED: safe
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static void nested(pthread_mutex_t *outer, pthread_mutex_t *inner) {
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}
THREAD(first) {
    nested(&mutex, &other);
    return 0;
}
THREAD(second) {
#ifdef ORDERED
    nested(&mutex, &other);
#else
    nested(&other, &mutex);
#endif
    return 0;
}
int main(void) {
    both(first, second);
}
//// A thread that ends with a lock held leaves it locked.
//// check --deadlock: unsafe deadlock @waits
THREAD(keeps) {
    lock();
    return 0;
}
int main(void) {
    finish(start(keeps));
    pthread_mutex_lock(&mutex); // @waits
}
//// A trylock succeeds on a free mutex and fails with EBUSY on a locked one, also for the owner, and never blocks.
//// check --deadlock: safe
THREAD(tries) {
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    return 0;
}
int main(void) {
    assert(pthread_mutex_trylock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    finish(start(tries));
    unlock();
    assert(pthread_mutex_trylock(&mutex) == 0);
    unlock();
}
//// A successful trylock excludes and orders like a lock.
//// check --data-race: safe
//// check -DREACH: unsafe assertion x < 2
static int x;
THREAD(tries) {
    if (pthread_mutex_trylock(&mutex) == 0) {
        x++;
#ifdef REACH
        assert(x < 2);
#endif
        unlock();
    }
    return 0;
}
int main(void) {
    both(tries, tries);
}
//// A timed lock may succeed and, on a mutex that is held, may time out; nothing else can happen.
//// check: safe
//// check -DNEVER=0: unsafe assertion result != NEVER
//// check -DNEVER=ETIMEDOUT: unsafe assertion result != NEVER
THREAD(holds) {
    lock();
    unlock();
    return 0;
}
int main(void) {
    pthread_t thread = start(holds);
    int result = pthread_mutex_timedlock(&mutex, &soon);
    assert(result == 0 || result == ETIMEDOUT);
#ifdef NEVER
    assert(result != NEVER);
#endif
    if (result == 0)
        unlock();
    finish(thread);
}
//// A timed lock of a free mutex does not time out.
//// check --deadlock: safe
int main(void) {
    assert(pthread_mutex_timedlock(&mutex, &soon) == 0);
    unlock();
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon) == 0);
}
//// A timed lock that can only time out does so, and is no deadlock.
//// check --deadlock: safe
//// check --deadlock -e states: safe
int main(void) {
    lock();
    assert(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
}
//// The owner of a recursive mutex may lock it again and has to unlock it as often.
//// check --deadlock: safe
//// check --deadlock -DFEW: unsafe deadlock
static pthread_mutex_t m;
THREAD(other) {
    pthread_mutex_lock(&m);
    return 0;
}
int main(void) {
    init_mutex(&m, PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_trylock(&m) == 0);
    assert(pthread_mutex_timedlock(&m, &soon) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
#ifndef FEW
    assert(pthread_mutex_unlock(&m) == 0);
#endif
    finish(start(other));
}
//// A recursive mutex excludes other threads until its last unlock.
//// check: safe
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int x;
THREAD(add) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    int old = x;
    pthread_mutex_unlock(&m);
    x = old + 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    both(add, add);
    assert(x == 2);
}
//// The unlock of a recursive or error-checking mutex by another thread fails with EPERM and changes nothing.
//// check -DTYPE=PTHREAD_MUTEX_RECURSIVE: safe
//// check -DTYPE=PTHREAD_MUTEX_ERRORCHECK: safe
static pthread_mutex_t m;
THREAD(other) {
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    return 0;
}
int main(void) {
    init_mutex(&m, TYPE);
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_mutex_lock(&m) == 0);
    finish(start(other));
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
}
//// An error-checking mutex says EDEADLK to its owner, who holds it once all the same; a trylock says EBUSY.
//// check --deadlock: safe
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int main(void) {
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == EDEADLK);
    assert(pthread_mutex_timedlock(&m, &soon) == EDEADLK);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
}
//// An error-checking mutex excludes other threads, which wait for it.
//// check --deadlock: safe
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int x;
THREAD(add) {
    assert(pthread_mutex_lock(&m) == 0);
    x++;
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}
int main(void) {
    both(add, add);
    assert(x == 2);
}
//// An unlock by a thread that does not hold the mutex is misuse.
//// check: unsafe misuse unlock of a mutex that the calling thread does not hold (in 'pthread_mutex_unlock') @wrong
THREAD(other) {
    pthread_mutex_unlock(&mutex); // @wrong
    return 0;
}
int main(void) {
    lock();
    finish(start(other));
}
//// So is the unlock of a mutex that nobody holds, also in an unrolled program.
//// check --unwind 1: unsafe misuse unlock of a mutex that the calling thread does not hold @wrong
//// check: unsafe misuse unlock of a mutex that the calling thread does not hold @wrong
int main(void) {
    lock();
    unlock();
    pthread_mutex_unlock(&mutex); // @wrong
}
//// A destroyed mutex must not be used, but may be initialised again.
//// check -DUSE=lock(&m): unsafe misuse use of a destroyed mutex @use
//// check -DUSE=trylock(&m): unsafe misuse use of a destroyed mutex @use
//// check -DUSE=timedlock(&m,&soon): unsafe misuse use of a destroyed mutex @use
//// check -DUSE=unlock(&m): unsafe misuse use of a destroyed mutex @use
//// check -DUSE=destroy(&m): unsafe misuse use of a destroyed mutex @use
//// check -DUSE=init(&m,0): safe
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define CALL(use) pthread_mutex_##use
#define EXPANDED(use) CALL(use)
int main(void) {
    assert(pthread_mutex_destroy(&m) == 0);
    EXPANDED(USE); // @use
    assert(pthread_mutex_init(&m, 0) == 0);
    assert(pthread_mutex_lock(&m) == 0);
}
//// The destruction of a locked mutex is misuse.
//// check: unsafe misuse destruction of a locked mutex @wrong
int main(void) {
    lock();
    pthread_mutex_destroy(&mutex); // @wrong
}
//// The use of a mutex that was never initialised is misuse, unless it is a global one, whose zeros are a mutex.
//// check -DVALUE=0x55: unsafe misuse use of a mutex that is not initialised @wrong
//// check -DVALUE=0: safe
int main(void) {
    pthread_mutex_t local;
    unsigned char *bytes = (unsigned char *)&local;
    for (int i = 0; i < (int)sizeof local; i++)
        bytes[i] = VALUE;
    pthread_mutex_lock(&local); // @wrong
}
//// What an uninitialised mutex holds is not known, so it is never safe to use one.
//// check: unknown the value of 'local.__kind' is nondeterministic
//// check -e auto: unsafe misuse use of a mutex that is not initialised @wrong
int main(void) {
    pthread_mutex_t local;
    pthread_mutex_lock(&local); // @wrong
}
//// A mutex on the heap works like any other.
//// check --data-race --memory-safety: safe
static int x;
static pthread_mutex_t *m;
THREAD(add) {
    pthread_mutex_lock(m);
    x++;
    pthread_mutex_unlock(m);
    return 0;
}
int main(void) {
    m = malloc(sizeof *m);
    assert(pthread_mutex_init(m, 0) == 0);
    both(add, add);
    assert(x == 2);
    assert(pthread_mutex_destroy(m) == 0);
    free(m);
}
//// What is set in the attributes can be read back; a wrong value is refused with EINVAL.
//// check: safe
int main(void) {
    pthread_mutexattr_t attr;
    int value = 7;
    assert(pthread_mutexattr_init(&attr) == 0);
    assert(pthread_mutexattr_gettype(&attr, &value) == 0 && value == PTHREAD_MUTEX_DEFAULT);
    assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
    assert(pthread_mutexattr_settype(&attr, 17) == EINVAL);
    assert(pthread_mutexattr_gettype(&attr, &value) == 0 && value == PTHREAD_MUTEX_ERRORCHECK);
    assert(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_mutexattr_setpshared(&attr, 2) == EINVAL);
    assert(pthread_mutexattr_getpshared(&attr, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
    assert(pthread_mutexattr_getprotocol(&attr, &value) == 0 && value == PTHREAD_PRIO_INHERIT);
    assert(pthread_mutexattr_getrobust(&attr, &value) == 0 && value == PTHREAD_MUTEX_STALLED);
    assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED) == 0);
    assert(pthread_mutexattr_gettype(&attr, &value) == 0 && value == PTHREAD_MUTEX_ERRORCHECK);
}
//// A destroyed attribute object must not be used.
//// check: unsafe misuse use of a mutex attribute object that is destroyed or not initialised @wrong
int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_init(&mutex, &attr); // @wrong
}
//// Robust mutexes are not supported.
//// check: unknown robust mutexes are not supported @robust
int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST); // @robust
}
//// Waiting for a mutex, a semaphore or a read-write lock with a time limit is no deadlock.
//// check --deadlock -DCALL=pthread_mutex_timedlock(&mutex,&soon): safe
//// check --deadlock -DCALL=sem_timedwait(&sem,&soon): safe
//// check --deadlock -DCALL=pthread_rwlock_timedrdlock(&rw,&soon): safe
//// check --deadlock -e states -DCALL=pthread_mutex_timedlock(&mutex,&soon): safe
//// check --deadlock -e stateless -DCALL=pthread_mutex_timedlock(&mutex,&soon): safe
//// check --deadlock -DCALL=pthread_mutex_lock(&mutex): unsafe deadlock
static sem_t sem;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
THREAD(waits) {
    assert(CALL != 0);
    return 0;
}
int main(void) {
    lock();
    pthread_rwlock_wrlock(&rw);
    finish(start(waits));
}
