/* Signs and widths. */
unsigned u;
signed char sc;
unsigned char uc;
long l;
float f;
double d;
int *p;
_Bool flag;
int main(void) {
    int i = -sc;
    u = u + 1 << sc;
    l = i * 3L - u;
    sc += 200;
    uc = ~uc;
    flag = d;
    flag = p;
    f = d + i;
    i = f;
    u = -u / 3 % 5;
    i = i >> 1;
    l = (long)p;
    p = (int *)(unsigned long)p;
    p = p + i - 2;
    l = p - &i;
    i = i++ + --i;
    return (p < &i) + !f + (l == 0);
}
