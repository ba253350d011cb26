/* Sections do not nest: nested ones are dropped, functions with sections are copied without them, wrappers inlined. */
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
_Atomic int a;
int x;
static void lock(void) { __VERIFIER_atomic_begin(); }
static void unlock(void) { __VERIFIER_atomic_end(); }
static void outer_unlock(void) { unlock(); }
void triple(void) { a *= 3; __sync_synchronize(); }
void __VERIFIER_atomic_add(int n) {
    if (n == 0)
        return;
    x += n;
    triple();
}
void unclear(int c) {
    if (c)
        __VERIFIER_atomic_begin();
    x = 1;
}
int main(void) {
    lock();
    x = 1;
    a /= 2;
    outer_unlock();
    __VERIFIER_atomic_add(2);
    triple();
    return 0;
}
