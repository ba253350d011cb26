//// A memory order that is an argument orders as if it stood there: store buffering.
//// check -DORDER=memory_order_seq_cst: safe
//// check -DORDER=memory_order_release -m sc: safe
//// check -DORDER=memory_order_release -m tso,pso: unsafe assertion p == 1 || q == 1
//// check -DORDER=memory_order_relaxed -m tso,pso: unsafe assertion p == 1 || q == 1
//// check -DORDER=memory_order_seq_cst -e events: safe
//// check -DORDER=memory_order_release -m tso,pso -e events: unsafe assertion p == 1 || q == 1
//// check -DORDER=memory_order_seq_cst -e states: safe
//// check -DORDER=memory_order_release -m tso,pso -e stateless: unsafe assertion p == 1 || q == 1
static int x, y, p, q;
static void put(int *at, int order) {
    __atomic_store_n(at, 1, order);
}
static int get(int *at, int order) {
    return __atomic_load_n(at, order);
}
THREAD(first) {
    put(&x, ORDER);
    p = get(&y, memory_order_acquire);
    return 0;
}
THREAD(second) {
    put(&y, ORDER);
    q = get(&x, memory_order_acquire);
    return 0;
}
int main(void) {
    both(first, second);
    assert(p == 1 || q == 1);
}
//// A fence whose order is computed orders as that order says: message passing.
//// check -DORDER=__ATOMIC_RELEASE: safe
//// check -DORDER=__ATOMIC_ACQ_REL: safe
//// check -DORDER=__ATOMIC_ACQUIRE -m sc,tso: safe
//// check -DORDER=__ATOMIC_ACQUIRE -m pso: unsafe assertion data == 1
//// check -DORDER=__ATOMIC_RELAXED -m pso: unsafe assertion data == 1
//// check -DORDER=__ATOMIC_RELEASE -e events: safe
//// check -DORDER=__ATOMIC_ACQUIRE -m pso -e events: unsafe assertion data == 1
static int data, flag, order;
THREAD(sends) {
    data = 1;
    __atomic_thread_fence(order);
    flag = 1;
    return 0;
}
THREAD(receives) {
    if (flag)
        assert(data == 1);
    return 0;
}
int main(void) {
    order = ORDER;
    both(sends, receives);
}
//// Operands come before the order and are evaluated once; a number that is no order stands for the strongest one.
//// check: safe
//// check -e events: safe
static int n, steps;
static int *place(void) {
    assert(steps++ == 0);
    return &n;
}
static int value(void) {
    assert(steps++ == 1);
    return 5;
}
static int order(int which) {
    assert(steps++ == 2);
    return which;
}
int main(void) {
    for (int which = -1; which < 8; which++) {
        steps = 0;
        assert(__atomic_fetch_add(place(), value(), order(which)) == (which + 1) * 5);
        assert(steps == 3);
    }
    int expected = 1, success = n & 5, failure = n & 2;
    assert(!__atomic_compare_exchange_n(&n, &expected, 2, 0, success, failure) && expected == 45);
    assert(__atomic_compare_exchange_n(&n, &expected, 2, 0, success, failure) && n == 2);
    steps = 0;
    __atomic_store_n(place(), value(), order(failure));
    assert(n == 5 && __atomic_exchange_n(&n, 6, success) == 5);
}
//// What is too much in an initialiser is left out, and a designator after it counts.
//// check: safe
static int a[2] = {1, 2, 3, [0] = 9, 8, 7};
static struct { int x, y; } s = {1, 2, 3, .x = 4};
int main(void) {
    int b[2] = {1, 2, 3, [0] = 9};
    assert(a[0] == 9 && a[1] == 8 && s.x == 4 && s.y == 2 && b[0] == 9 && b[1] == 2);
}
//// Static objects are initialised by const objects and by compound literals of their type.
//// check: safe
struct pair { short a; char b[4]; int *c; double d; };
static int target;
static const struct pair pair = {-3, "xyz", &target, 1.5};
static const int table[3] = {[1] = 7};
static const unsigned char byte = 200;
static struct pair copy = pair, pairs[2] = {[1] = pair};
static int numbers[] = {pair.a, pair.b[1], table[1], table[2], byte + 1, (int){11}};
static int *pointer = pair.c;
static double sum = pair.d * 2;
int main(void) {
    const int local = 3;
    static int from_local = local * 2;
    assert(copy.a == -3 && copy.b[2] == 'z' && copy.c == &target && copy.d == 1.5);
    assert(pairs[1].a == -3 && pairs[0].c == 0 && pairs[1].c == &target);
    assert(numbers[0] == -3 && numbers[1] == 'y' && numbers[2] == 7 && numbers[3] == 0 && numbers[4] == 201);
    assert(numbers[5] == 11 && pointer == &target && sum == 3.0 && from_local == 6);
}
