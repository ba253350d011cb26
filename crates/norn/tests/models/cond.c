//// A wait in a loop, a signal under the mutex: no deadlock, and what was written before is seen.
//// check --deadlock --data-race: safe
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, data;
THREAD(produces) {
    lock();
    data = 5;
    ready = 1;
    assert(pthread_cond_signal(&cond) == 0);
    unlock();
    return 0;
}
int main(void) {
    pthread_t thread = start(produces);
    lock();
    while (!ready)
        assert(pthread_cond_wait(&cond, &mutex) == 0);
    assert(data == 5);
    unlock();
    finish(thread);
    assert(pthread_cond_destroy(&cond) == 0);
}
//// A wait may end without a signal, so an `if` around it is not enough.
//// check: unsafe assertion ready
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
THREAD(produces) {
    lock();
    ready = 1;
    pthread_cond_signal(&cond);
    unlock();
    return 0;
}
int main(void) {
    start(produces);
    lock();
    if (!ready)
        pthread_cond_wait(&cond, &mutex);
    assert(ready);
}
//// A signal before the wait is lost.
//// check --deadlock: unsafe deadlock 'pthread_cond_wait' @waits
//// check: safe
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
THREAD(signals) {
    pthread_cond_signal(&cond);
    return 0;
}
int main(void) {
    pthread_t thread = start(signals);
    lock();
    pthread_cond_wait(&cond, &mutex); // @waits
    unlock();
    finish(thread);
}
//// So is one between the test and the wait, if the flag is set without the mutex.
//// check --deadlock: unsafe deadlock @waits
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
THREAD(signals) {
    ready = 1;
    pthread_cond_signal(&cond);
    return 0;
}
int main(void) {
    pthread_t thread = start(signals);
    lock();
    while (!ready)
        pthread_cond_wait(&cond, &mutex); // @waits
    unlock();
    finish(thread);
}
//// Without a signal nobody is woken for certain.
//// check --deadlock: unsafe deadlock @waits
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int main(void) {
    lock();
    pthread_cond_wait(&cond, &mutex); // @waits
}
//// One signal for two waiting threads may wake the wrong one; a broadcast wakes both.
//// check --deadlock -m sc: unsafe deadlock
//// check --deadlock -m sc -DALL: safe
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn, waiting;
static void wait_for(int number) {
    lock();
    waiting++;
    while (turn != number)
        pthread_cond_wait(&cond, &mutex);
    unlock();
}
THREAD(first) {
    wait_for(1);
    return 0;
}
THREAD(second) {
    wait_for(2);
    return 0;
}
int main(void) {
    pthread_t a = start(first), b = start(second);
    for (int i = 1; i <= 2; i++) {
        lock();
        turn = i;
#ifdef ALL
        pthread_cond_broadcast(&cond);
#else
        pthread_cond_signal(&cond);
#endif
        unlock();
        if (i == 1)
            finish(a);
    }
    finish(b);
}
//// A signal wakes at least one of the threads that wait, a second one the other.
//// check --deadlock -m sc: unsafe deadlock
//// check --deadlock -m sc -DTWICE: safe
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting;
THREAD(waits) {
    lock();
    waiting++;
    pthread_cond_wait(&cond, &mutex);
    unlock();
    return 0;
}
int main(void) {
    pthread_t a = start(waits), b = start(waits);
    lock();
    if (waiting < 2)
        exit(0);
    pthread_cond_signal(&cond);
#ifdef TWICE
    pthread_cond_signal(&cond);
#endif
    unlock();
    finish(a);
    finish(b);
}
//// A signal is for a thread that waits when it is given, not for one that comes later.
//// check --deadlock -m sc: safe
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int early, late;
THREAD(waits) {
    lock();
    early = 1;
    pthread_cond_wait(&cond, &mutex);
    unlock();
    return 0;
}
THREAD(comes_late) {
    lock();
    pthread_cond_wait(&cond, &mutex);
    unlock();
    return 0;
}
int main(void) {
    pthread_t thread = start(waits);
    lock();
    if (!early)
        exit(0);
    pthread_cond_signal(&cond);
    unlock();
    start(comes_late);
    finish(thread);
}
//// A wait gives up the mutex and holds it again when it returns.
//// check: safe
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, inside;
THREAD(signals) {
    lock();
    assert(inside == 0);
    ready = 1;
    pthread_cond_signal(&cond);
    unlock();
    lock();
    assert(inside == 0);
    unlock();
    return 0;
}
int main(void) {
    start(signals);
    lock();
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    inside = 1;
    inside = 0;
    unlock();
}
//// Another thread may take the mutex between the signal and the return of the wait.
//// check: unsafe assertion stolen == 0
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, stolen;
THREAD(signals) {
    lock();
    ready = 1;
    pthread_cond_signal(&cond);
    unlock();
    lock();
    stolen = 1;
    unlock();
    return 0;
}
int main(void) {
    start(signals);
    lock();
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    assert(stolen == 0);
}
//// A timed wait may wake up without a signal and say so, before the time limit.
//// check: unsafe assertion result == ETIMEDOUT
//// check -e stateless: unsafe assertion result == ETIMEDOUT
//// check -e states: unsafe assertion result == ETIMEDOUT
//// check -e events: unsafe assertion result == ETIMEDOUT
//// check -e rounds: unsafe assertion result == ETIMEDOUT
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int main(void) {
    lock();
    int result = pthread_cond_timedwait(&cond, &mutex, &soon);
    assert(result == ETIMEDOUT);
    unlock();
}
//// A timed wait may time out and may be woken, nothing else; either way the mutex is held.
//// check: safe
//// check -DNEVER=0: unsafe assertion result != NEVER
//// check -DNEVER=ETIMEDOUT: unsafe assertion result != NEVER
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
THREAD(signals) {
    lock();
    pthread_cond_signal(&cond);
    unlock();
    return 0;
}
int main(void) {
    pthread_t thread = start(signals);
    lock();
    int result = pthread_cond_timedwait(&cond, &mutex, &soon);
    assert(result == 0 || result == ETIMEDOUT);
#ifdef NEVER
    assert(result != NEVER);
#endif
    unlock();
    finish(thread);
}
//// A wait without the mutex is misuse.
//// check: unsafe misuse wait on a condition variable with a mutex that the calling thread does not hold @wrong
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int main(void) {
    pthread_cond_wait(&cond, &mutex); // @wrong
}
//// A destroyed condition variable must not be used, but may be initialised again.
//// check -DUSE=signal(&c): unsafe misuse use of a condition variable that is destroyed or not initialised @use
//// check -DUSE=broadcast(&c): unsafe misuse use of a condition variable that is destroyed or not initialised @use
//// check -DUSE=wait(&c,&mutex): unsafe misuse use of a condition variable that is destroyed or not initialised @use
//// check -DUSE=destroy(&c): unsafe misuse use of a condition variable that is destroyed or not initialised @use
//// check -DUSE=init(&c,0): safe
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
#define CALL(use) pthread_cond_##use
#define EXPANDED(use) CALL(use)
int main(void) {
    lock();
    assert(pthread_cond_destroy(&c) == 0);
    EXPANDED(USE); // @use
    assert(pthread_cond_init(&c, 0) == 0);
    assert(pthread_cond_signal(&c) == 0);
}
//// The destruction of a condition variable on which a thread waits is misuse; after a broadcast it is not.
//// check: unsafe misuse destruction of a condition variable on which a thread waits @destroys
//// check --deadlock -DWOKEN: safe
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting;
THREAD(waits) {
    lock();
    waiting = 1;
    pthread_cond_wait(&cond, &mutex);
    unlock();
    return 0;
}
int main(void) {
    pthread_t thread = start(waits);
    lock();
    if (!waiting)
        exit(0);
#ifdef WOKEN
    pthread_cond_broadcast(&cond);
#endif
    unlock();
    pthread_cond_destroy(&cond); // @destroys
    finish(thread);
}
//// Attributes can be read back; a wrong value is refused with EINVAL.
//// check: safe
int main(void) {
    pthread_condattr_t attr;
    clockid_t clock;
    int shared;
    pthread_cond_t c;
    assert(pthread_condattr_init(&attr) == 0);
    assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    assert(pthread_condattr_setclock(&attr, 77) == EINVAL);
    assert(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_MONOTONIC);
    assert(pthread_condattr_getpshared(&attr, &shared) == 0 && shared == PTHREAD_PROCESS_PRIVATE);
    assert(pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_condattr_getpshared(&attr, &shared) == 0 && shared == PTHREAD_PROCESS_SHARED);
    assert(pthread_cond_init(&c, &attr) == 0);
    assert(pthread_condattr_destroy(&attr) == 0);
}
//// A bounded buffer with two condition variables neither deadlocks nor loses an element.
//// check --deadlock --data-race: safe
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int count, item;
THREAD(produces) {
    for (int i = 1; i <= 2; i++) {
        lock();
        while (count == 1)
            pthread_cond_wait(&not_full, &mutex);
        item = i;
        count = 1;
        pthread_cond_signal(&not_empty);
        unlock();
    }
    return 0;
}
int main(void) {
    pthread_t thread = start(produces);
    for (int i = 1; i <= 2; i++) {
        lock();
        while (count == 0)
            pthread_cond_wait(&not_empty, &mutex);
        assert(item == i);
        count = 0;
        pthread_cond_signal(&not_full);
        unlock();
    }
    finish(thread);
}
//// A time limit is certain to pass, so whoever waits with one is never stuck; without one, a lost wake-up is a deadlock.
//// check --deadlock -DTIMED=1: safe
//// check --deadlock -DTIMED=0: unsafe deadlock
//// check --deadlock -e states -DTIMED=1: safe
//// check --deadlock -e states -DTIMED=0: unsafe deadlock
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int main(void) {
    lock();
    if (TIMED)
        pthread_cond_timedwait(&cond, &mutex, &soon);
    else
        pthread_cond_wait(&cond, &mutex);
    unlock();
}
