/* GNU's attribute cleanup: a call when the block of the variable is left, however it is left. */
#include <stdio.h>

static int depth;

static void say(int *what) {
    printf("%*s%d\n", 2 * depth, "", *what);
    *what = -1;
}
static void say_text(const char **text) {
    printf("%s\n", *text);
}
#define SAID __attribute__((cleanup(say)))

static int early(int v) {
    SAID int first = v;
    if (v > 3)
        return v;
    SAID int second = 10 * v;
    {
        SAID int third = 100 * v, fourth = third + 1;
        if (v == 2)
            return fourth;
        if (v == 3)
            goto out;
    }
    return second;
out:
    return first;
}

static void loops(void) {
    for (int i = 0; i < 4; i++) {
        SAID int turn = i;
        if (i == 1)
            continue;
        if (i == 3)
            break;
        turn += 50;
    }
    for (SAID int i = 0; i < 2; i++)
        printf("in the loop\n");
    int n = 0;
    while (n < 2) {
        const char *text __attribute__((__cleanup__(say_text))) = n++ ? "second" : "first";
    }
}

static void back(void) {
    int n = 0;
again:;
    SAID int turn = 7 + n;
    if (n++ < 2)
        goto again;
}

static int choose(int v) {
    switch (v) {
        SAID int inside;
    case 0:
        inside = 20;
        return 1;
    case 1:
        inside = 21;
        break;
    default:
        inside = 22;
    }
    return v;
}

struct six {
    int a[6];
};
static void clear(struct six *of) {
    of->a[5] = 0;
}
static struct six record(void) {
    __attribute__((cleanup(clear))) struct six made = {{1, 2, 3, 4, 5, 6}};
    return made;
}

int main(void) {
    for (int v = 0; v < 5; v++)
        printf("early %d\n", early(v));
    loops();
    back();
    for (int v = 0; v < 3; v++)
        printf("choose %d\n", choose(v));
    printf("record %d\n", record().a[5]);
    int value = ({
        SAID int inner = 3;
        depth = 1;
        inner + 1;
    });
    depth = 0;
    printf("value %d\n", value);
    SAID int last = 99;
    return 0;
}
