//// A spinlock excludes and orders.
//// check --deadlock --data-race: safe
static pthread_spinlock_t spin;
static int x;
THREAD(add) {
    assert(pthread_spin_lock(&spin) == 0);
    x++;
    assert(pthread_spin_unlock(&spin) == 0);
    return 0;
}
int main(void) {
    assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    both(add, add);
    assert(x == 2);
    assert(pthread_spin_destroy(&spin) == 0);
}
//// A thread that spins for ever is blocked.
//// check --deadlock: unsafe deadlock @again
static pthread_spinlock_t spin;
int main(void) {
    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    pthread_spin_lock(&spin); // @again
}
//// A trylock says EBUSY to everybody while the spinlock is held.
//// check --deadlock: safe
static pthread_spinlock_t spin;
THREAD(tries) {
    assert(pthread_spin_trylock(&spin) == EBUSY);
    return 0;
}
int main(void) {
    pthread_spin_init(&spin, 0);
    assert(pthread_spin_trylock(&spin) == 0);
    assert(pthread_spin_trylock(&spin) == EBUSY);
    finish(start(tries));
    assert(pthread_spin_unlock(&spin) == 0);
    assert(pthread_spin_trylock(&spin) == 0);
}
//// Only the owner may unlock a spinlock, and a destroyed one must not be used.
//// check: unsafe misuse unlock of a spinlock that the calling thread does not hold @wrong
//// check -DDESTROYED: unsafe misuse use of a spinlock that is destroyed or not initialised @use
//// check -DHELD: unsafe misuse destruction of a locked spinlock @destroys
static pthread_spinlock_t spin;
THREAD(unlocks) {
    pthread_spin_unlock(&spin); // @wrong
    return 0;
}
int main(void) {
    pthread_spin_init(&spin, 0);
#ifdef DESTROYED
    pthread_spin_destroy(&spin);
#endif
    pthread_spin_lock(&spin); // @use
#ifdef HELD
    pthread_spin_destroy(&spin); // @destroys
#endif
    finish(start(unlocks));
}
//// The function of a once control runs once, and whoever comes meanwhile waits for its end and sees what it did.
//// check --deadlock --data-race: safe
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int x, runs;
static void init(void) {
    runs++;
    x = 1;
    x = 2;
}
THREAD(uses) {
    assert(pthread_once(&once, init) == 0);
    assert(x == 2 && runs == 1);
    return 0;
}
int main(void) {
    both(uses, uses);
    assert(pthread_once(&once, init) == 0);
    assert(runs == 1);
}
//// Whoever comes while the function of a once control runs is blocked.
//// check --deadlock: unsafe deadlock
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void init(void) {
    lock();
    lock();
}
THREAD(uses) {
    pthread_once(&once, init);
    assert(0);
    return 0;
}
int main(void) {
    both(uses, uses);
}
//// Two controls are independent.
//// check --deadlock: safe
static pthread_once_t first = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;
static int runs;
static void init(void) {
    runs++;
}
int main(void) {
    pthread_once(&first, init);
    pthread_once(&second, init);
    pthread_once(&first, init);
    assert(runs == 2);
}
