/* Conditions branch on truth values; what only looks at registers needs no branch of its own. */
int x, y;
int pure(int a, unsigned b, int c) {
    if (a > 1 && b + 1 < 5 || !c)
        x = 1;
    return a == 0 ? c : a;
}
int memory(int a) {
    if (a && x && !y)
        x = 2;
    while (!(x || y))
        ;
    return a + 1 > 2 && x;
}
int overflow(int a, int b) { return a < b && a + 1 > b; }
int main(void) {
    if (0)
        x = 3;
    if (sizeof(int) == 4)
        x = 4;
    return pure(1, 2, 3) + memory(1) + overflow(1, 2);
}
