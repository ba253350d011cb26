//// A cleanup handler runs where it is taken off with a value other than 0, and is forgotten with 0.
//// check -DEXECUTE=1: safe
//// check -DEXECUTE=-7: safe
//// check -DEXECUTE=0: unsafe assertion calls == 11 @calls
static int calls;
static void add(void *amount) {
    calls += (int)(long)amount;
}
int main(void) {
    pthread_cleanup_push(add, (void *)1);
    pthread_cleanup_push(add, (void *)10);
    assert(calls == 0);
    pthread_cleanup_pop(EXECUTE);
    assert(!EXECUTE || calls == 10);
    pthread_cleanup_pop(1);
    assert(calls == 11); // @calls
}
//// A thread that exits runs its handlers, the last one first, then the destructors of its keys; a handler that was popped is gone.
//// check: safe
//// check -e events: safe
//// check -e states: safe
//// check -DWRONG: unsafe assertion order @order
static int order;
static pthread_key_t key;
static void handler(void *digit) {
    order = order * 10 + (int)(long)digit;
}
static void destructor(void *digit) {
    order = order * 10 + (int)(long)digit;
}
static void deep(void) {
    pthread_cleanup_push(handler, (void *)3);
    pthread_exit((void *)5);
    pthread_cleanup_pop(0);
}
THREAD(exits) {
    pthread_setspecific(key, (void *)9);
    pthread_cleanup_push(handler, (void *)1);
    pthread_cleanup_push(handler, (void *)2);
    pthread_cleanup_pop(0);
    deep();
    pthread_cleanup_pop(0);
    return 0;
}
int main(void) {
    void *value;
    pthread_key_create(&key, destructor);
    pthread_t thread = start(exits);
    pthread_join(thread, &value);
    assert(value == (void *)5);
#ifdef WRONG
    assert(order == 1); // @order
#else
    assert(order == 319);
#endif
}
//// A thread whose function returns runs no handlers; a block of one must not be left by a jump.
//// check -DLEAVE: unsafe misuse a block with a cleanup handler was left by a return
//// check -DDEEP: unsafe use-after-free
//// check: safe
static void handler(void *unused) {
    assert(0);
}
static void inner(int leave) {
    pthread_cleanup_push(handler, 0);
    if (leave)
        return;
    pthread_cleanup_pop(0);
}
THREAD(returns) {
#ifdef LEAVE
    inner(1);
#elif defined DEEP
    inner(1);
    pthread_exit(0);
#else
    inner(0);
#endif
    return 0;
}
int main(void) {
    finish(start(returns));
}
//// A handler is a function like others: what it does wrong shows.
//// check: unsafe misuse unlock of a mutex that the calling thread does not hold
//// check -e events -m sc: unsafe misuse unlock of a mutex that the calling thread does not hold
static void handler(void *unused) {
    unlock();
}
int main(void) {
    lock();
    pthread_cleanup_push(handler, 0);
    unlock();
    pthread_cleanup_pop(1);
}
//// A request is acted on at a cancellation point, not before; the thread that joins sees PTHREAD_CANCELED.
//// check: safe
//// check -e events: safe
//// check -e stateless: safe
//// check -DLATE: unsafe assertion !passed
static atomic_int ready, passed, handled;
static void handler(void *unused) {
    handled = 1;
}
THREAD(waits) {
    pthread_cleanup_push(handler, 0);
    while (!ready)
        ;
    passed = 1;
#ifndef LATE
    pthread_testcancel();
    assert(0);
#endif
    pthread_cleanup_pop(0);
    return 0;
}
int main(void) {
    void *value;
    pthread_t thread = start(waits);
    assert(pthread_cancel(thread) == 0);
    ready = 1;
    pthread_join(thread, &value);
#ifdef LATE
    assert(!passed);
#else
    assert(passed && handled && value == PTHREAD_CANCELED);
#endif
}
//// A request may come at any time, also never in time.
//// check: unsafe assertion value != PTHREAD_CANCELED
//// check -DOTHER: unsafe assertion value == PTHREAD_CANCELED
//// check -DBOTH: safe
THREAD(tests) {
    pthread_testcancel();
    return 0;
}
int main(void) {
    void *value;
    pthread_t thread = start(tests);
    pthread_cancel(thread);
    pthread_join(thread, &value);
#ifdef BOTH
    assert(value == 0 || value == PTHREAD_CANCELED);
#elif defined OTHER
    assert(value == PTHREAD_CANCELED);
#else
    assert(value != PTHREAD_CANCELED);
#endif
}
//// A thread that has disabled cancellation goes on; the request waits until it is enabled and a cancellation point comes.
//// check: safe
//// check -DSTAYS: unsafe assertion 0 @end
static int reached;
THREAD(disables) {
    int old = 7;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setcancelstate(9, &old) == EINVAL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    sleep(1);
    assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_DISABLE);
    reached = 1;
#ifdef STAYS
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
#endif
    pthread_testcancel();
    assert(0); // @end
    return 0;
}
int main(void) {
    void *value;
    pthread_t thread = start(disables);
    pthread_join(thread, &value);
    assert(reached && value == PTHREAD_CANCELED);
}
//// A thread that waits on a condition variable and is cancelled has the mutex again in its handler.
//// check --deadlock: safe
//// check -m sc -e states --deadlock: safe
//// check -m sc -DTWICE: unsafe misuse unlock of a mutex that the calling thread does not hold
//// check -m sc --deadlock -DKEEPS: unsafe deadlock
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int owned;
static void handler(void *unused) {
    assert(!owned);
    owned = 1;
    owned = 0;
#ifndef KEEPS
    unlock();
#endif
#ifdef TWICE
    unlock();
#endif
}
THREAD(waits) {
    lock();
    pthread_cleanup_push(handler, 0);
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    return 0;
}
int main(void) {
    void *value;
    pthread_t thread = start(waits);
    pthread_cancel(thread);
    lock();
    owned = 1;
    owned = 0;
    unlock();
    pthread_join(thread, &value);
    assert(value == PTHREAD_CANCELED);
}
//// Without the handler the mutex stays locked.
//// check --deadlock: unsafe deadlock
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
THREAD(waits) {
    lock();
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    return 0;
}
int main(void) {
    pthread_t thread = start(waits);
    pthread_cancel(thread);
    finish(thread);
    lock();
}
//// A thread that is cancelled does not take a signal away from another one that waits.
//// check -m sc --deadlock: safe
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting;
static void handler(void *unused) {
    unlock();
}
THREAD(waits) {
    lock();
    pthread_cleanup_push(handler, 0);
    waiting++;
    pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
    return 0;
}
int main(void) {
    pthread_t a = start(waits), b = start(waits);
    lock();
    if (waiting != 2)
        exit(0);
    pthread_cond_signal(&cond);
    unlock();
    pthread_cancel(a);
    finish(a);
    lock();
    pthread_cond_signal(&cond);
    unlock();
    finish(b);
}
//// Semaphores: a thread that is cancelled takes nothing; one that could go on does either.
//// check --deadlock: safe
//// check -DTAKES: unsafe assertion rest != 0
//// check -DLEAVES: unsafe assertion rest != 1
//// check --deadlock -DDISABLED: unsafe deadlock
static sem_t sem;
THREAD(waits) {
#ifdef DISABLED
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
#endif
    sem_wait(&sem);
    return (void *)1;
}
int main(void) {
    void *value;
    int rest;
    sem_init(&sem, 0, 0);
    pthread_t thread = start(waits);
    pthread_cancel(thread);
#if defined TAKES || defined LEAVES
    sem_post(&sem);
#endif
    pthread_join(thread, &value);
    sem_getvalue(&sem, &rest);
#ifdef TAKES
    assert(rest != 0);
#elif defined LEAVES
    assert(rest != 1);
#else
    assert(rest == 0 && value == PTHREAD_CANCELED);
#endif
}
//// A thread that is cancelled while it joins leaves the other one to be joined.
//// check --deadlock: safe
//// check -m sc -e states --deadlock: safe
static sem_t go;
static pthread_t target;
THREAD(long_one) {
    sem_wait(&go);
    return (void *)4;
}
THREAD(joins) {
    void *value;
    pthread_join(target, &value);
    assert(0);
    return 0;
}
int main(void) {
    void *value;
    sem_init(&go, 0, 0);
    target = start(long_one);
    pthread_t thread = start(joins);
    pthread_cancel(thread);
    pthread_join(thread, &value);
    assert(value == PTHREAD_CANCELED);
    sem_post(&go);
    pthread_join(target, &value);
    assert(value == (void *)4);
}
//// A thread that ends ignores requests: its handlers may wait and sleep.
//// check: safe
static sem_t sem;
static int done;
static void handler(void *unused) {
    pthread_testcancel();
    sleep(1);
    sem_wait(&sem);
    done = 1;
}
THREAD(ends) {
    pthread_cleanup_push(handler, 0);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return 0;
}
int main(void) {
    sem_init(&sem, 0, 1);
    finish(start(ends));
    assert(done);
}
//// Locking a mutex is no cancellation point, nor is waiting at a barrier.
//// check -m sc: safe
static pthread_barrier_t barrier;
THREAD(locks) {
    pthread_cancel(pthread_self());
    lock();
    unlock();
    pthread_barrier_wait(&barrier);
    return (void *)3;
}
int main(void) {
    void *value;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_t thread = start(locks);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, &value);
    assert(value == (void *)3);
}
//// What is not modelled of cancellation.
//// check -DASYNC: unknown asynchronous cancellation
//// check -DONCE: unknown a thread that is cancelled in the function of 'pthread_once'
static void init(void) {
    pthread_testcancel();
}
THREAD(ends) {
    pthread_cancel(pthread_self());
#ifdef ASYNC
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
#else
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
#endif
    return 0;
}
int main(void) {
    finish(start(ends));
}
//// A request orders nothing: what was written before it and is read in a handler is a data race.
//// check -m sc --data-race: unsafe data-race
//// check -m sc --data-race -DATOMIC: safe
#ifdef ATOMIC
static atomic_int data;
#else
static int data;
#endif
static void handler(void *unused) {
    int seen = data;
    (void)seen;
}
THREAD(ends) {
    pthread_cleanup_push(handler, 0);
    pthread_testcancel();
    pthread_cleanup_pop(1);
    return 0;
}
int main(void) {
    pthread_t thread = start(ends);
    data = 1;
    pthread_cancel(thread);
    finish(thread);
}
//// The first thread can be cancelled too, which leaves the others running.
//// check: unsafe assertion 0 @after
static pthread_t first;
THREAD(cancels) {
    pthread_cancel(first);
    assert(0); // @after
    return 0;
}
int main(void) {
    first = pthread_self();
    start(cancels);
    for (;;)
        pthread_testcancel();
}
