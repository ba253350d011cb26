/* Objects live as long as their block; jumps leave and enter scopes. */
void use(int *p) { *p = 1; }
int loop(int n) {
    for (int i = 0; i < n; i++) {
        int a;
        use(&a);
        if (a == 1)
            continue;
        {
            int b;
            use(&b);
            if (b)
                break;
            if (n == 7)
                goto out;
        }
    }
    return 0;
out:
    return 1;
}
int into(int n) {
    if (n)
        goto inside;
    {
        int c = 1;
        use(&c);
    inside:
        use(&c);
    }
    switch (n) {
        int d;
    case 1:
        use(&d);
        break;
    case 2 ... 3:
    default:
        return 2;
    }
    return 0;
}
int array(int n) {
    int v[n];
    v[n - 1] = 1;
    return v[0];
}
int main(void) { return loop(3) + into(2) + array(3); }
