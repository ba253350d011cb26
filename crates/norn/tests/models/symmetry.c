//// Threads that run the same function are no copies of one another if they write different values.
//// check: unsafe assertion
//// check -e events: unsafe assertion
static volatile int x;
THREAD(writes) {
    x = argument ? 2 : 1;
    return 0;
}
int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, writes, 0);
    pthread_create(&second, 0, writes, &first);
    int before = x, after = x;
    assert(before != 2 || after != 1);
}
//// They are none if only one of them asserts something.
//// check: unsafe assertion
//// check -e events: unsafe assertion
static volatile int x;
THREAD(looks) {
    int seen = x;
    x = 1;
    if (argument)
        assert(seen == 0);
    return 0;
}
int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, looks, &first);
    pthread_create(&second, 0, looks, 0);
}
//// They are none if another thread waits for one of them.
//// check: unsafe assertion
//// check -e events: unsafe assertion
static atomic_int count;
THREAD(counts) {
    count++;
    return 0;
}
int main(void) {
    start(counts);
    finish(start(counts));
    assert(count == 2);
}
//// Of threads that are copies, each may be the first.
//// check: unsafe assertion
//// check -e events: unsafe assertion
//// check -DLEAST=1: safe
//// check -DLEAST=1 -e events: safe
#ifndef LEAST
#define LEAST 2
#endif
static volatile int x;
static atomic_int ended;
THREAD(increments) {
    x = x + 1;
    ended++;
    return 0;
}
int main(void) {
    start(increments);
    start(increments);
    if (ended == 2)
        assert(x >= LEAST);
}
