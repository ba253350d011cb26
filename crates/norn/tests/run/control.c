// switch with fall-through and ranges, goto, loops, recursion, static locals, scopes.
#include <stdio.h>

static const char *kind(int c)
{
    switch (c) {
    case 'a' ... 'f':
    case 'A' ... 'F':
        return "hex";
    case '0' ... '9':
        return "digit";
    case -5 ... -1:
        return "negative";
    default:
        return "other";
    }
}

static int fall(unsigned n)
{
    int sum = 0;
    switch (n % 5) {
        int unused;
    case 3:
        sum += 3;
    default:
        sum += 100;
    case 1:
        sum += 1;
        break;
    case 0:
        for (unused = 0; unused < 4; unused++) {
            if (unused == 1)
                continue;
            if (unused == 3)
                break;
    case 2:
            sum += 10;
            unused = 2;
        }
    }
    return sum;
}

static int wide(long long x)
{
    switch (x) {
    case 1LL << 40: return 1;
    case -1: return 2;
    case 0xffffffffLL: return 3;
    }
    return 0;
}

static void copy(char *to, const char *from, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int next(void)
{
    static int count = 5;
    {
        static int count = 100;
        count++;
        if (count % 2)
            return count;
    }
    return count++;
}

static unsigned ackermann(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int even(unsigned n);
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }

int main(void)
{
    for (const char *c = "aG7F"; *c; c++)
        printf("kind: %s\n", kind(*c));
    printf("kind: %s %s\n", kind(-3), kind(-6));
    for (unsigned i = 0; i < 6; i++)
        printf("fall: %d\n", fall(i));
    printf("wide: %d %d %d %d\n", wide(1LL << 40), wide(-1), wide(0xffffffff), wide(0));
    char text[12] = {0};
    copy(text, "hello duff!", 11);
    printf("copy: %s\n", text);
    for (int i = 0; i < 4; i++)
        printf("static: %d\n", next());
    printf("recursion: %u %d %d\n", ackermann(2, 3), even(20), odd(10));

    int i = 0, j = 0;
again:
    for (j = 0; j < 3; j++) {
        if (i == 2)
            goto done;
        if (j == 1) {
            i++;
            goto again;
        }
    }
done:
    printf("goto: %d %d\n", i, j);

    int total = 0;
    for (int a = 0, b = 10; a < b; a++, b--) {
        int a = b;
        if (a & 1)
            continue;
        total += a;
    }
    printf("scopes: %d\n", total);
    do {
        total -= 7;
        if (total < 5)
            break;
    } while (total > 0);
    printf("do: %d\n", total);
    while (1) {
        switch (total++) {
        case 4: continue;
        case 5: goto out;
        }
    }
out:
    printf("out: %d\n", total);
    for (;;)
        if (++total > 10)
            break;
        else if (total == 7)
            total++;
    printf("for: %d\n", total);
    if (total > 5)
        if (total > 50)
            printf("not here\n");
        else
            printf("dangling\n");
    enum colour { red, green = 5, blue, white = green | 8, black = -1 } colour = blue;
    switch (colour) {
    case red: case green: printf("no\n"); break;
    case blue: printf("enum: %d %d %d\n", colour, white, black < 0);
    case white: case black: break;
    }
    printf("first\n");
    printf("second\n");
    return 0;
}
