//// Each thread has its own value of a key, null at first.
//// check --data-race: safe
static pthread_key_t key;
static int a, b;
static void use(int *mine) {
    assert(pthread_getspecific(key) == 0);
    assert(pthread_setspecific(key, mine) == 0);
    assert(pthread_getspecific(key) == mine);
}
THREAD(first) {
    use(&a);
    return 0;
}
THREAD(second) {
    use(&b);
    return 0;
}
int main(void) {
    assert(pthread_key_create(&key, 0) == 0);
    both(first, second);
    assert(pthread_getspecific(key) == 0);
    assert(pthread_key_delete(key) == 0);
}
//// Two keys are independent.
//// check: safe
int main(void) {
    pthread_key_t one, two;
    int x;
    pthread_key_create(&one, 0);
    pthread_key_create(&two, 0);
    assert(one != two);
    pthread_setspecific(one, &x);
    assert(pthread_getspecific(two) == 0);
}
//// The destructor runs at the end of the thread, with the value, once the value is null again.
//// check --data-race -DRETURNS: safe
//// check --data-race: safe
static pthread_key_t key;
static int value, runs;
static void destroy(void *argument) {
    assert(argument == &value);
    assert(pthread_getspecific(key) == 0);
    runs++;
}
THREAD(uses) {
    pthread_setspecific(key, &value);
    assert(runs == 0);
#ifdef RETURNS
    return 0;
#else
    pthread_exit(0);
#endif
}
int main(void) {
    pthread_key_create(&key, destroy);
    finish(start(uses));
    assert(runs == 1);
}
//// A thread that keeps null, or deleted its key, does not run the destructor.
//// check: safe
static pthread_key_t key, deleted;
static int value;
static void destroy(void *argument) {
    assert(0);
}
THREAD(uses) {
    pthread_setspecific(key, &value);
    pthread_setspecific(key, 0);
    pthread_setspecific(deleted, &value);
    assert(pthread_key_delete(deleted) == 0);
    return 0;
}
int main(void) {
    pthread_key_create(&key, destroy);
    pthread_key_create(&deleted, destroy);
    finish(start(uses));
}
//// A destructor that sets its key again runs again, PTHREAD_DESTRUCTOR_ITERATIONS times at most.
//// check: safe
//// check --unwind 1: safe
static pthread_key_t key;
static int value, runs;
static void destroy(void *argument) {
    runs++;
    pthread_setspecific(key, argument);
}
THREAD(uses) {
    pthread_setspecific(key, &value);
    return 0;
}
int main(void) {
    pthread_key_create(&key, destroy);
    finish(start(uses));
    assert(runs == PTHREAD_DESTRUCTOR_ITERATIONS);
}
//// pthread_exit in main runs the destructors of main, its return does not.
//// check: unsafe assertion ran
//// check -DRETURNS: safe
static pthread_key_t key;
static int value;
static void destroy(void *argument) {
    assert(!"ran");
}
int main(void) {
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &value);
#ifndef RETURNS
    pthread_exit(0);
#endif
}
//// The functions that the compiler knows can also be called through pointers.
//// check --memory-safety: safe
//// check --memory-safety -DTWICE: unsafe double-free @again
//// check -DABORT: safe
int main(void) {
    void *(*allocate)(size_t) = malloc;
    void *(*allocate_many)(size_t, size_t) = calloc;
    void (*release)(void *) = free;
    void (*stop)(void) = abort;
    int *one = allocate(sizeof *one), *many = allocate_many(3, sizeof *many);
    *one = 1;
    assert(many[2] == 0);
    release(one);
    release(many);
#ifdef TWICE
    release(one); // @again
#endif
#ifdef ABORT
    stop();
    assert(0);
#endif
}
//// A destructor that frees its value leaves nothing to be used.
//// check --memory-safety: safe
static pthread_key_t key;
THREAD(uses) {
    int *value = malloc(sizeof *value);
    *value = 3;
    pthread_setspecific(key, value);
    return 0;
}
int main(void) {
    pthread_key_create(&key, free);
    both(uses, uses);
}
//// A destructor may make a key and set it; its destructor is called as well.
//// check: unsafe assertion called == 0
//// check -e events: unsafe assertion called == 0
//// check -e states: unsafe assertion called == 0
static pthread_key_t key, other;
static int called;
static void last(void *value) {
    called = 1;
}
static void make_more(void *value) {
    pthread_key_create(&other, last);
    pthread_setspecific(other, value);
}
THREAD(body) {
    pthread_setspecific(key, &called);
    return 0;
}
int main(void) {
    pthread_key_create(&key, make_more);
    finish(start(body));
    assert(called == 0);
}
//// Calling destructors is no fence.
//// check -m sc: safe
//// check -m tso,pso: unsafe assertion
static pthread_key_t key;
static atomic_int x, y;
static int a, b;
static void ends(void *value) {
    *(int *)value = atomic_load_explicit(value == &a ? &y : &x, memory_order_relaxed);
}
THREAD(first) {
    pthread_setspecific(key, &a);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}
THREAD(second) {
    pthread_setspecific(key, &b);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_key_create(&key, ends);
    both(first, second);
    assert(a == 1 || b == 1);
}
//// More keys than the model has room for are not an error of the program.
//// check: unknown more than 32 keys
int main(void) {
    pthread_key_t key;
    for (int i = 0; i < 40; i++)
        assert(pthread_key_create(&key, 0) == 0);
}
//// Nor are more functions to call at exit.
//// check: unknown more than 32 functions
static void nothing(void) {
}
int main(void) {
    for (int i = 0; i < 40; i++)
        assert(atexit(nothing) == 0);
}
