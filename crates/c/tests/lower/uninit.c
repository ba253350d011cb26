/* A variable that may be read before it is assigned starts with any value, each time its block is entered. */
int g;
int maybe(int c) {
    int x, y, z;
    if (c)
        x = 1;
    y = 2;
    return x + y;
}
int loop(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int t;
        if (g)
            t = i;
        sum = sum + t;
    }
    return sum;
}
int never(void) {
    int x;
    while (g)
        x = g;
    return 0;
}
int no_result(int c) {
    if (c)
        return 1;
}
int main(void) { maybe(1); loop(); never(); no_result(0); }
