//// A thread sees what was written before it was created.
//// check --data-race: safe
//// check -DAFTER: unsafe assertion x == 1
static int x;
THREAD(reads) {
    assert(x == 1);
    return 0;
}
int main(void) {
#ifdef AFTER
    pthread_t thread = start(reads);
    x = 1;
#else
    x = 1;
    pthread_t thread = start(reads);
#endif
    finish(thread);
}
//// A join waits for the thread, returns what it returned and sees what it wrote.
//// check --data-race --deadlock: safe
//// check -DEARLY: unsafe assertion x == 1
static int x;
THREAD(writes) {
    x = 1;
    return argument;
}
int main(void) {
    pthread_t thread;
    void *result = 0;
    int token;
    assert(pthread_create(&thread, 0, writes, &token) == 0);
#ifdef EARLY
    assert(x == 1);
#endif
    assert(pthread_join(thread, &result) == 0);
    assert(result == &token);
    assert(x == 1);
}
//// Threads get the arguments that they were created with.
//// check --data-race: safe
static int sum[2];
static void *adds(void *argument) {
    int i = *(int *)argument;
    sum[i] = i + 1;
    return 0;
}
int main(void) {
    pthread_t threads[2];
    int numbers[2] = { 0, 1 };
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, adds, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(sum[0] == 1 && sum[1] == 2);
}
//// The address of a loop's variable is the same for all threads: a well-known mistake.
//// check: unsafe assertion i < 2
//// check --data-race: unsafe data-race
static void *uses(void *argument) {
    int i = *(int *)argument;
    assert(i < 2);
    return 0;
}
int main(void) {
    pthread_t threads[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, uses, &i);
    for (int j = 0; j < 2; j++)
        pthread_join(threads[j], 0);
}
//// A join of a thread that does not end is a deadlock.
//// check --deadlock: unsafe deadlock
THREAD(waits) {
    lock();
    return 0;
}
int main(void) {
    lock();
    finish(start(waits));
}
//// A thread that would join itself is told EDEADLK.
//// check --deadlock: safe
int main(void) {
    assert(pthread_join(pthread_self(), 0) == EDEADLK);
}
//// Two threads that join one another deadlock.
//// check --deadlock: unsafe deadlock
static pthread_t main_thread;
THREAD(joins) {
    pthread_join(main_thread, 0);
    return 0;
}
int main(void) {
    main_thread = pthread_self();
    finish(start(joins));
}
//// A thread's identity is the same for itself and its creator, and differs from others'.
//// check: safe
static pthread_t seen;
THREAD(looks) {
    seen = pthread_self();
    assert(pthread_equal(seen, pthread_self()));
    return 0;
}
int main(void) {
    pthread_t thread = start(looks);
    finish(thread);
    assert(pthread_equal(seen, thread));
    assert(!pthread_equal(thread, pthread_self()));
    assert(!pthread_equal(thread, start(looks)));
}
//// The identifier is stored before the new thread begins, as glibc does.
//// check --data-race: safe
static pthread_t thread;
THREAD(looks) {
    assert(pthread_equal(thread, pthread_self()));
    return 0;
}
int main(void) {
    pthread_create(&thread, 0, looks, 0);
}
//// pthread_exit ends the thread wherever it is called, with a value for the join.
//// check --deadlock: safe
static void leave(int depth) {
    if (depth == 0)
        pthread_exit((void *)7L);
    leave(depth - 1);
    assert(0);
}
THREAD(leaves) {
    leave(2);
    assert(0);
    return 0;
}
int main(void) {
    void *value;
    assert(pthread_join(start(leaves), &value) == 0);
    assert(value == (void *)7L);
}
//// pthread_exit in main lets the other threads run.
//// check: unsafe assertion never
THREAD(fails) {
    assert(!"never");
    return 0;
}
int main(void) {
    start(fails);
    pthread_exit(0);
}
//// After pthread_exit in main a thread that waits for ever is a deadlock; after main's return it is not.
//// check --deadlock: unsafe deadlock main.1 waits at {waits} in 'pthread_mutex_lock' @waits
//// check --deadlock --unwind 2: unsafe deadlock @waits
//// check --deadlock -DRETURNS: safe
//// check --deadlock -DRETURNS --unwind 2: safe
THREAD(waits) {
    pthread_mutex_lock(&mutex); // @waits
    return 0;
}
int main(void) {
    lock();
    start(waits);
#ifndef RETURNS
    pthread_exit(0);
#endif
}
//// exit ends all threads, also in a thread.
//// check --deadlock: safe
static int x;
THREAD(exits) {
    exit(0);
    assert(0);
    return 0;
}
int main(void) {
    finish(start(exits));
    assert(0);
}
//// What runs before exit in another thread is still seen.
//// check: unsafe assertion x == 0
static int x;
THREAD(checks) {
    assert(x == 0);
    return 0;
}
int main(void) {
    start(checks);
    x = 1;
    exit(0);
}
//// Handlers of atexit run at exit, the last registered first.
//// check: unsafe assertion order == 0 @first
static int order;
static void first(void) {
    assert(order == 1);
    order = 2;
    assert(order == 0); // @first
}
static void second(void) {
    assert(order == 0);
    order = 1;
}
int main(void) {
    atexit(first);
    atexit(second);
    exit(0);
}
//// abort ends all threads.
//// check --deadlock: safe
int main(void) {
    lock();
    abort();
    lock();
}
//// pthread_exit in main is no deadlock if all threads end.
//// check --deadlock: safe
THREAD(ends) {
    return 0;
}
int main(void) {
    start(ends);
    pthread_exit(0);
}
//// A detached thread runs like any other, and nobody waits for it.
//// check --deadlock: safe
//// check -DFAILS: unsafe assertion FAILS
static int x;
THREAD(works) {
    x = 1;
#ifdef FAILS
    assert(!"FAILS");
#endif
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_attr_t attr;
    int state;
    assert(pthread_attr_init(&attr) == 0);
    assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_setdetachstate(&attr, 9) == EINVAL);
    assert(pthread_attr_getdetachstate(&attr, &state) == 0 && state == PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&thread, &attr, works, 0) == 0);
    assert(pthread_attr_destroy(&attr) == 0);
    assert(pthread_detach(start(works)) == 0);
}
//// A thread may create threads.
//// check --data-race --deadlock: safe
static int x;
THREAD(inner) {
    x++;
    return 0;
}
THREAD(outer) {
    x++;
    finish(start(inner));
    x++;
    return 0;
}
int main(void) {
    finish(start(outer));
    assert(x == 3);
}
//// Attributes of threads can be read back.
//// check: safe
int main(void) {
    pthread_attr_t attr;
    size_t size;
    int value;
    struct sched_param param = { 3 };
    pthread_attr_init(&attr);
    assert(pthread_attr_setstacksize(&attr, 65536) == 0);
    assert(pthread_attr_getstacksize(&attr, &size) == 0 && size == 65536);
    assert(pthread_attr_setguardsize(&attr, 1) == 0);
    assert(pthread_attr_getguardsize(&attr, &size) == 0 && size == 1);
    assert(pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM) == 0);
    assert(pthread_attr_getscope(&attr, &value) == 0 && value == PTHREAD_SCOPE_SYSTEM);
    assert(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    assert(pthread_attr_getinheritsched(&attr, &value) == 0 && value == PTHREAD_EXPLICIT_SCHED);
    assert(pthread_attr_setschedpolicy(&attr, SCHED_RR) == 0);
    assert(pthread_attr_getschedpolicy(&attr, &value) == 0 && value == SCHED_RR);
    assert(pthread_attr_setschedparam(&attr, &param) == 0);
    param.sched_priority = 0;
    assert(pthread_attr_getschedparam(&attr, &param) == 0 && param.sched_priority == 3);
}
//// What merely prepares for cancellation has no effect.
//// check: safe
int main(void) {
    int old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
    assert(pthread_setcanceltype(7, 0) == EINVAL);
    pthread_testcancel();
}
//// What is not reached does no harm.
//// check: safe
static int never;
int main(void) {
    if (never)
        pthread_cancel(pthread_self());
}
//// errno belongs to the thread.
//// check --data-race: safe
THREAD(sets) {
    errno = EINVAL;
    return 0;
}
int main(void) {
    errno = EBUSY;
    finish(start(sets));
    assert(errno == EBUSY);
}
//// A thread is joined or detached once.
//// check -DKIND=0: unsafe misuse join of a thread that is detached or was joined before
//// check -DKIND=1: unsafe misuse join of a thread that is detached or was joined before
//// check -DKIND=2: unsafe misuse detaching of a thread that is detached or was joined before
//// check -DKIND=3: unsafe misuse detaching of a thread that is detached or was joined before
//// check -DKIND=4: unsafe misuse of a thread that is detached or was joined before
//// check -DKIND=5: unsafe misuse join of a thread that is detached or was joined before
//// check -DKIND=6: unsafe misuse join of a thread that is detached or was joined before
//// check -DKIND=7: safe
//// check -e events -DKIND=0: unsafe misuse
//// check -e states -DKIND=4: unsafe misuse
//// check -e events -DKIND=4: unsafe misuse
//// check -e stateless -DKIND=5: unsafe misuse
//// check -e stateless -DKIND=7: safe
static int work(void *argument) {
    return 0;
}
THREAD(body) {
#if KIND == 4
    pthread_detach(pthread_self());
#endif
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
#if KIND == 5
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
#endif
    pthread_create(&thread, &attr, body, 0);
#if KIND == 0
    pthread_join(thread, 0);
    pthread_join(thread, 0); //
#elif KIND == 1
    pthread_detach(thread);
    pthread_join(thread, 0); //
#elif KIND == 2
    pthread_detach(thread);
    pthread_detach(thread); //
#elif KIND == 3
    pthread_join(thread, 0);
    pthread_detach(thread); //
#elif KIND == 4 || KIND == 5
    pthread_join(thread, 0); //
#elif KIND == 6
    thrd_t other;
    thrd_create(&other, work, 0);
    thrd_detach(other);
    thrd_join(other, 0); //
#else
    pthread_t other;
    pthread_create(&other, 0, body, 0);
    pthread_join(other, 0);
    pthread_detach(thread);
#endif
}
//// Two threads may not join a third one both.
//// check: unsafe misuse join of a thread that is detached or was joined before
//// check -e events: unsafe misuse
//// check -e stateless: unsafe misuse
static pthread_t third;
THREAD(body) {
    return 0;
}
THREAD(joins) {
    pthread_join(third, 0);
    return 0;
}
int main(void) {
    third = start(body);
    pthread_t a = start(joins), b = start(joins);
    finish(a);
    finish(b);
}
//// Threads that several threads create have numbers in the order of their creations.
//// check -e states: unsafe assertion first < second
//// check -e states -DREVERSED: unsafe assertion first > second
//// check -e states -DIN_TURN: safe
//// check -e stateless -DIN_TURN: safe
//// check -e events -DIN_TURN: unknown the numbers of threads
//// check -e rounds -DIN_TURN: unknown the numbers of threads
static pthread_t first, second;
THREAD(ends) {
    return 0;
}
THREAD(creates) {
    pthread_create(argument ? &second : &first, 0, ends, 0);
    return 0;
}
int main(void) {
    pthread_t creators[2];
    pthread_create(&creators[0], 0, creates, 0);
#ifdef IN_TURN
    finish(creators[0]);
#endif
    pthread_create(&creators[1], 0, creates, &first);
#ifndef IN_TURN
    finish(creators[0]);
#endif
    finish(creators[1]);
#ifdef REVERSED
    assert(first > second);
#else
    assert(first < second);
#endif
}
