/* Loops keep their heads, calls that do not return end the path, an error call at the label ERROR is reported once. */
extern void reach_error(void);
_Noreturn void stop(void) {
    for (;;)
        ;
}
int x;
int nested(void) {
    for (;;) {
        for (;;) {
            if (x)
                break;
        }
        if (x > 1)
            goto ERROR;
    }
ERROR: {
    reach_error();
}
    return 0;
}
int dispatch(unsigned char c) {
    switch (c) {
    case 'a' ... 'z':
        return 1;
    case '0':
        stop();
    case '1':
        x = 1;
    }
    return 0;
}
int backwards(int n) {
again:;
    int v[n];
    v[0] = n;
    if (--n)
        goto again;
    do {
        int *p = v;
        if (*p)
            continue;
        n++;
    } while (n < 3);
    return v[0];
}
int main(void) { return nested() + dispatch('0') + backwards(2); }
