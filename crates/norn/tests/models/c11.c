//// C11 threads: create, join with a result, exit, identity.
//// check --deadlock --data-race: safe
static int x;
static thrd_t seen;
static int works(void *argument) {
    x = *(int *)argument;
    seen = thrd_current();
    return x + 1;
}
static int leaves(void *argument) {
    thrd_exit(9);
}
int main(void) {
    thrd_t thread, other;
    int value = 4, result = 0;
    assert(thrd_create(&thread, works, &value) == thrd_success);
    assert(thrd_join(thread, &result) == thrd_success);
    assert(x == 4 && result == 5);
    assert(thrd_equal(thread, seen) && !thrd_equal(thread, thrd_current()));
    assert(thrd_create(&other, leaves, 0) == thrd_success);
    assert(thrd_join(other, &result) == thrd_success && result == 9);
    thrd_yield();
}
//// A negative result arrives as it was.
//// check: safe
static int works(void *argument) {
    return -1;
}
int main(void) {
    thrd_t thread;
    int result;
    thrd_create(&thread, works, 0);
    thrd_join(thread, &result);
    assert(result == -1);
    thrd_create(&thread, works, 0);
    assert(thrd_detach(thread) == thrd_success);
}
//// mtx_lock excludes and orders.
//// check --deadlock --data-race: safe
static mtx_t m;
static int x;
static int add(void *argument) {
    assert(mtx_lock(&m) == thrd_success);
    x++;
    assert(mtx_unlock(&m) == thrd_success);
    return 0;
}
int main(void) {
    thrd_t a, b;
    assert(mtx_init(&m, mtx_plain) == thrd_success);
    thrd_create(&a, add, 0);
    thrd_create(&b, add, 0);
    thrd_join(a, 0);
    thrd_join(b, 0);
    assert(x == 2);
    mtx_destroy(&m);
}
//// A plain mutex locked twice deadlocks, a recursive one does not; trylock says thrd_busy.
//// check --deadlock -DTYPE=mtx_plain: unsafe deadlock @again
//// check --deadlock -DTYPE=mtx_plain|mtx_recursive -e states: safe
//// check --deadlock -DTYPE=mtx_timed|mtx_recursive -e states: safe
static mtx_t m;
static int tries(void *argument) {
    assert(mtx_trylock(&m) == thrd_busy);
    return 0;
}
int main(void) {
    thrd_t thread;
    mtx_init(&m, TYPE);
    mtx_lock(&m);
    mtx_lock(&m); // @again
    while (mtx_trylock(&m) == thrd_busy)
        ;
    mtx_unlock(&m);
    mtx_unlock(&m);
    thrd_create(&thread, tries, 0);
    thrd_join(thread, 0);
    mtx_unlock(&m);
}
//// A timed lock may time out and may succeed.
//// check: safe
//// check -DNEVER=thrd_success: unsafe assertion result != NEVER
//// check -DNEVER=thrd_timedout: unsafe assertion result != NEVER
static mtx_t m;
static int holds(void *argument) {
    mtx_lock(&m);
    mtx_unlock(&m);
    return 0;
}
int main(void) {
    thrd_t thread;
    mtx_init(&m, mtx_timed);
    thrd_create(&thread, holds, 0);
    int result = mtx_timedlock(&m, &soon);
    assert(result == thrd_success || result == thrd_timedout);
#ifdef NEVER
    assert(result != NEVER);
#endif
}
//// Misuse of a C11 mutex is misuse.
//// check: unsafe misuse unlock of a mutex that the calling thread does not hold @wrong
//// check -DDESTROYED: unsafe misuse use of a destroyed mutex @use
static mtx_t m;
int main(void) {
    mtx_init(&m, mtx_plain);
#ifdef DESTROYED
    mtx_destroy(&m);
#endif
    mtx_lock(&m); // @use
    mtx_unlock(&m);
    mtx_unlock(&m); // @wrong
}
//// Condition variables of C11 wake, and may wake spuriously.
//// check --deadlock: safe
//// check -DIF: unsafe assertion ready
static mtx_t m;
static cnd_t c;
static int ready;
static int signals(void *argument) {
    mtx_lock(&m);
    ready = 1;
    assert(cnd_signal(&c) == thrd_success);
    mtx_unlock(&m);
    return 0;
}
#ifdef IF
#define while if
#endif
int main(void) {
    thrd_t thread;
    mtx_init(&m, mtx_plain);
    assert(cnd_init(&c) == thrd_success);
    thrd_create(&thread, signals, 0);
    mtx_lock(&m);
    while (!ready)
        assert(cnd_wait(&c, &m) == thrd_success);
    assert(ready);
    mtx_unlock(&m);
    thrd_join(thread, 0);
    cnd_destroy(&c);
}
//// A lost C11 signal is a deadlock; broadcast wakes all.
//// check --deadlock: unsafe deadlock @waits
static mtx_t m;
static cnd_t c;
int main(void) {
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    cnd_broadcast(&c);
    mtx_lock(&m);
    cnd_wait(&c, &m); // @waits
}
//// A timed wait of C11 may time out and may be woken.
//// check -DNEVER=thrd_success: unsafe assertion result != NEVER
//// check -DNEVER=thrd_timedout: unsafe assertion result != NEVER
//// check -DNEVER=thrd_error: safe
static mtx_t m;
static cnd_t c;
static int signals(void *argument) {
    cnd_broadcast(&c);
    return 0;
}
int main(void) {
    thrd_t thread;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&thread, signals, 0);
    mtx_lock(&m);
    int result = cnd_timedwait(&c, &m, &soon);
    assert(result != NEVER);
    mtx_unlock(&m);
}
//// call_once runs its function once, and whoever comes meanwhile waits for its end.
//// check --deadlock --data-race: safe
static once_flag flag = ONCE_FLAG_INIT;
static int x;
static void init(void) {
    x++;
}
static int uses(void *argument) {
    call_once(&flag, init);
    assert(x == 1);
    return 0;
}
int main(void) {
    thrd_t a, b;
    thrd_create(&a, uses, 0);
    thrd_create(&b, uses, 0);
    thrd_join(a, 0);
    thrd_join(b, 0);
}
//// Thread-specific storage of C11 belongs to the thread; destructors run at its end, also after thrd_exit.
//// check --data-race: safe
static tss_t key;
static int value, runs;
static void destroy(void *argument) {
    assert(argument == &value);
    runs++;
}
static int returns(void *argument) {
    assert(tss_get(key) == 0);
    assert(tss_set(key, &value) == thrd_success);
    assert(tss_get(key) == &value);
    return 0;
}
static int leaves(void *argument) {
    tss_set(key, &value);
    thrd_exit(0);
}
int main(void) {
    thrd_t thread;
    assert(tss_create(&key, destroy) == thrd_success);
    thrd_create(&thread, returns, 0);
    thrd_join(thread, 0);
    assert(runs == 1);
    thrd_create(&thread, leaves, 0);
    thrd_join(thread, 0);
    assert(runs == 2);
    tss_delete(key);
}
//// Objects of a thread's own are its own.
//// check --data-race: safe
static thread_local int x = 3;
static int writes(void *argument) {
    assert(x == 3);
    x = 4;
    return 0;
}
int main(void) {
    thrd_t thread;
    x = 5;
    thrd_create(&thread, writes, 0);
    thrd_join(thread, 0);
    assert(x == 5);
}
//// C allows mtx_trylock to fail though the mutex is free.
//// check: unsafe assertion mtx_trylock
//// check -e events: unsafe assertion mtx_trylock
static mtx_t m;
int main(void) {
    mtx_init(&m, mtx_plain);
    assert(mtx_trylock(&m) == thrd_success);
}
//// A weak compare-exchange may fail though the value is the expected one, then changes nothing and tells the value; a strong one does not.
//// check -DHOW=atomic_compare_exchange_strong(&x,&e,2): safe
//// check -DHOW=atomic_compare_exchange_weak(&x,&e,2): unsafe assertion done
//// check -DHOW=atomic_compare_exchange_weak(&x,&e,2) -e stateless: unsafe assertion done
//// check -DHOW=atomic_compare_exchange_weak(&x,&e,2) -e states: unsafe assertion done
//// check -DHOW=atomic_compare_exchange_weak(&x,&e,2) -e events: unsafe assertion done
//// check -DHOW=atomic_compare_exchange_weak(&x,&e,2) -e rounds: unsafe assertion done
//// check -DHOW=atomic_compare_exchange_weak_explicit(&x,&e,2,memory_order_acquire,memory_order_relaxed): unsafe assertion done
//// check -DHOW=__atomic_compare_exchange_n(&x,&e,2,0,5,5): safe
//// check -DHOW=__atomic_compare_exchange_n(&x,&e,2,1,5,5): unsafe assertion done
//// check -DHOW=__atomic_compare_exchange_n(&x,&e,2,kind,5,5): unsafe assertion done
static atomic_int x = 1;
static int kind;
int main(void) {
    int e = 1;
    int done = HOW;
    assert(x == (done ? 2 : 1) && e == 1);
    assert(done);
}
//// Loops that try a weak compare-exchange again are decided where states are remembered.
//// check -e states --deadlock: safe
//// check -e auto --deadlock: safe
static atomic_int x, owner;
THREAD(counts) {
    int old = atomic_load(&x);
    while (!atomic_compare_exchange_weak(&x, &old, old + 1))
        ;
    return 0;
}
THREAD(locks) {
    int free = 0;
    while (!atomic_compare_exchange_weak(&owner, &free, 1))
        free = 0;
    assert(owner == 1);
    owner = 0;
    return 0;
}
int main(void) {
    both(counts, counts);
    assert(x == 2);
    both(locks, locks);
}
//// Structs are accessed atomically as a whole.
//// check: safe
//// check -e events: safe
//// check -e states: safe
//// check -DPLAIN: unsafe assertion
struct pair {
    int a, b;
};
#ifdef PLAIN
static struct pair pair;
static void set(struct pair value) { pair = value; }
static struct pair get(void) { return pair; }
#else
static _Atomic struct pair pair;
static void set(struct pair value) { atomic_store(&pair, value); }
static struct pair get(void) { return atomic_load(&pair); }
#endif
THREAD(writes) {
    set((struct pair){ 1, 1 });
    return 0;
}
THREAD(reads) {
    struct pair value = get();
    assert(value.a == value.b);
    return 0;
}
int main(void) {
    both(writes, reads);
}
//// Exchange and compare-exchange of a struct are one step each; what was found comes back.
//// check: safe
//// check -e events: safe
//// check -e states: safe
struct node {
    struct node *next;
    unsigned long tag;
};
static _Atomic struct node top;
static struct node first, second;
static void push(struct node *node) {
    struct node found = atomic_load(&top), wanted;
    do {
        node->next = found.next;
        wanted = (struct node){ node, found.tag + 1 };
    } while (!atomic_compare_exchange_strong(&top, &found, wanted));
}
THREAD(a) {
    push(&first);
    return 0;
}
THREAD(b) {
    push(&second);
    return 0;
}
int main(void) {
    both(a, b);
    struct node all = atomic_exchange(&top, ((struct node){ 0, 7 }));
    assert(all.tag == 2 && all.next && all.next->next && !all.next->next->next);
    struct node last = top;
    assert(last.tag == 7 && last.next == 0);
    assert(!atomic_compare_exchange_strong(&top, &all, last) && all.tag == 7);
}
//// An atomic load of a struct is no fence; a sequentially consistent store is one, and a weaker store is not.
//// check -m tso,pso -DKIND=0: unsafe assertion
//// check -m tso,pso -e events -DKIND=0: unsafe assertion
//// check -m tso,pso -e states -DKIND=0: unsafe assertion
//// check -m tso,pso -e stateless -DKIND=0: unsafe assertion
//// check -DKIND=1: safe
//// check -m tso,pso -DKIND=2: unsafe assertion
//// check -m sc -DKIND=2: safe
//// check -m tso,pso -e events -DKIND=2: unsafe assertion
//// check -m tso,pso -DKIND=3: unsafe assertion
struct pair {
    int a, b;
};
static _Atomic struct pair one, two;
static atomic_int x, y;
static int a, b;
static void call(_Atomic struct pair *pair) {
    struct pair value = { 0, 0 };
#if KIND == 0
    value = atomic_load(pair);
#elif KIND == 1
    atomic_store(pair, value);
#elif KIND == 2
    atomic_store_explicit(pair, value, memory_order_release);
#else
    value = *pair;
#endif
}
THREAD(p) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    call(&one);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}
THREAD(q) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    call(&two);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}
int main(void) {
    both(p, q);
    assert(a == 1 || b == 1);
}
//// Compare-exchange of a struct with padding would compare the padding.
//// check: unknown with padding
struct padded {
    char a;
    int b;
};
static struct padded object;
int main(void) {
    struct padded old = { 0, 0 }, new = { 1, 1 };
    __atomic_compare_exchange(&object, &old, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
//// The value of an atomic update by an operator is the new one, that of a function what its name says.
//// check: safe
//// check -e events: safe
int main(void) {
    _Atomic int x = 10; int y = 10; _Atomic unsigned char c = 1;
    assert((x -= 3) == 7);
    assert(--x == 6);
    assert(x-- == 6 && x == 5);
    assert(atomic_fetch_sub(&x, 2) == 5 && x == 3);
    assert(__atomic_sub_fetch(&y, 4, __ATOMIC_RELAXED) == 6 && __sync_sub_and_fetch(&y, 1) == 5);
    assert((c -= 2) == 255);
    assert((x += 4) == 7 && ++x == 8 && __atomic_add_fetch(&y, 2, 0) == 7);
    assert((x &= 12) == 8 && (x |= 3) == 11 && (x ^= 1) == 10);
    assert(__atomic_and_fetch(&y, 3, 0) == 3 && __atomic_or_fetch(&y, 8, 0) == 11 && __atomic_xor_fetch(&y, 2, 0) == 9 && __atomic_nand_fetch(&y, 1, 0) == -2);
}
