//// All threads arrive before any leaves.
//// check --deadlock --data-race: safe
//// check -DWITHOUT: unsafe assertion
static pthread_barrier_t barrier;
static int x, y;
static void pass(void) {
#ifndef WITHOUT
    pthread_barrier_wait(&barrier);
#endif
}
THREAD(first) {
    x = 1;
    pass();
    assert(y == 1);
    return 0;
}
THREAD(second) {
    y = 1;
    pass();
    assert(x == 1);
    return 0;
}
int main(void) {
    assert(pthread_barrier_init(&barrier, 0, 2) == 0);
    both(first, second);
    assert(pthread_barrier_destroy(&barrier) == 0);
}
//// A barrier blocks until its number of threads has come.
//// check --deadlock: unsafe deadlock 'pthread_barrier_wait'
static pthread_barrier_t barrier;
THREAD(waits) {
    pthread_barrier_wait(&barrier);
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 3);
    both(waits, waits);
}
//// Exactly one thread of each round is the serial thread, and any of them may be.
//// check: safe
//// check -DALWAYS: unsafe assertion main_is_serial
//// check -DNEVER: unsafe assertion !main_is_serial
static pthread_barrier_t barrier;
static atomic_int serial, others;
static int wait_once(void) {
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    if (result)
        serial++;
    else
        others++;
    return result != 0;
}
THREAD(waits) {
    wait_once();
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 3);
    pthread_t a = start(waits), b = start(waits);
    int main_is_serial = wait_once();
#ifdef ALWAYS
    assert(main_is_serial);
#endif
#ifdef NEVER
    assert(!main_is_serial);
#endif
    finish(a);
    finish(b);
    assert(serial == 1 && others == 2);
    (void)main_is_serial;
}
//// A barrier can be used again at once; the rounds do not mix.
//// check --deadlock --data-race: safe
static pthread_barrier_t barrier;
static int mine[3], yours[3];
static void rounds(int *own, const int *other) {
    for (int i = 0; i < 3; i++) {
        own[i] = i + 1;
        pthread_barrier_wait(&barrier);
        assert(other[i] == i + 1);
    }
}
THREAD(thread) {
    rounds(mine, yours);
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 2);
    pthread_t other = start(thread);
    rounds(yours, mine);
    finish(other);
}
//// A thread that is late leaves only one round behind: the other waits for it in the next.
//// check: safe
static pthread_barrier_t barrier;
static atomic_int round;
THREAD(thread) {
    pthread_barrier_wait(&barrier);
    assert(round <= 1);
    pthread_barrier_wait(&barrier);
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 2);
    start(thread);
    pthread_barrier_wait(&barrier);
    round = 1;
    pthread_barrier_wait(&barrier);
    round = 2;
}
//// A barrier for one thread lets it pass; one for nobody is refused.
//// check --deadlock: safe
int main(void) {
    pthread_barrier_t barrier;
    assert(pthread_barrier_init(&barrier, 0, 0) == EINVAL);
    assert(pthread_barrier_init(&barrier, 0, 1) == 0);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(pthread_barrier_destroy(&barrier) == 0);
}
//// A barrier that is destroyed or was never initialised must not be used.
//// check: unsafe misuse use of a barrier that is destroyed or not initialised @use
//// check -DFIRST: unsafe misuse use of a barrier that is destroyed or not initialised @first
static pthread_barrier_t barrier;
int main(void) {
#ifdef FIRST
    pthread_barrier_wait(&barrier); // @first
#endif
    pthread_barrier_init(&barrier, 0, 1);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_wait(&barrier); // @use
}
//// The destruction of a barrier at which a thread waits is misuse; if all have come, it waits until they have left.
//// check: unsafe misuse destruction of a barrier at which a thread waits @destroys
//// check --deadlock -DCOMPLETE: safe
static pthread_barrier_t barrier;
THREAD(destroys) {
#ifdef COMPLETE
    pthread_barrier_wait(&barrier);
#endif
    pthread_barrier_destroy(&barrier); // @destroys
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 2);
    pthread_t thread = start(destroys);
    pthread_barrier_wait(&barrier);
    finish(thread);
}
//// Attributes can be read back.
//// check: safe
int main(void) {
    pthread_barrierattr_t attr;
    int shared;
    assert(pthread_barrierattr_init(&attr) == 0);
    assert(pthread_barrierattr_getpshared(&attr, &shared) == 0 && shared == PTHREAD_PROCESS_PRIVATE);
    assert(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_barrierattr_setpshared(&attr, 5) == EINVAL);
    assert(pthread_barrierattr_getpshared(&attr, &shared) == 0 && shared == PTHREAD_PROCESS_SHARED);
    assert(pthread_barrierattr_destroy(&attr) == 0);
}
