//// What goes wrong in an iteration that changes nothing is found by every engine.
//// check -DSTEP=5/value: unsafe division-by-zero
//// check -e states -DSTEP=5/value: unsafe division-by-zero
//// check -e stateless -DSTEP=5/value: unsafe division-by-zero
//// check -e events -DSTEP=5/value: unsafe division-by-zero
//// check -e rounds -DSTEP=5/value: unsafe division-by-zero
//// check -e stateless -DSTEP=row[value+2]: unsafe out-of-bounds
//// check -e events -DSTEP=row[value+2]: unsafe out-of-bounds
//// check -e rounds -DSTEP=row[value+2]: unsafe out-of-bounds
//// check -e stateless --overflow -DSTEP=value+1+INT_MAX: unsafe overflow
//// check -e events --overflow -DSTEP=value+1+INT_MAX: unsafe overflow
//// check -e rounds --overflow -DSTEP=value+1+INT_MAX: unsafe overflow
//// check -e stateless --overflow -DSTEP=row[value+1]+value: safe
//// check -e events --overflow -DSTEP=row[value+1]+value: safe
//// check -e rounds --overflow -DSTEP=row[value+1]+value: safe
static _Atomic int flag;
THREAD(wait) {
    int row[2] = { 0, 1 }, value;
    while (!(value = flag)) {
        int seen = STEP;
        (void)seen;
    }
    return 0;
}
int main(void) {
    start(wait);
    flag = 1;
}
//// So is what goes wrong behind a section of it, and in a function that it calls.
//// check -e stateless -DSECTION: unsafe division-by-zero
//// check -e events -DSECTION: unsafe division-by-zero
//// check -e rounds -DSECTION: unsafe division-by-zero
//// check -e stateless: unsafe division-by-zero
//// check -e events: unsafe division-by-zero
//// check -e rounds: unsafe division-by-zero
static int flag;
static int share(int value) {
    return 10 / value;
}
THREAD(wait) {
#ifdef SECTION
    for (;;) {
        __VERIFIER_atomic_begin();
        int value = flag;
        if (value) {
            __VERIFIER_atomic_end();
            break;
        }
        __VERIFIER_atomic_end();
        share(value);
    }
#else
    int value;
    while (!(value = flag))
        share(value);
#endif
    return 0;
}
int main(void) {
    start(wait);
    flag = 1;
}
