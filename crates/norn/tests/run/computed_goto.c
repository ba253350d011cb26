/* Labels as values. */
#include <stdio.h>

static int run(const unsigned char *code) {
    static void *const table[] = {&&stop, &&push, &&add, &&twice};
    int stack[8], top = 0;
    goto *table[*code++];
push:
    stack[top++] = *code++;
    goto *table[*code++];
add:
    top--;
    stack[top - 1] += stack[top];
    goto *table[*code++];
twice: {
    int copy = stack[top - 1];
    stack[top - 1] += copy;
    goto *table[*code++];
}
stop:
    return stack[0];
}

static int by_distance(int i) {
    static const int offsets[] = {&&zero - &&zero, &&one - &&zero, &&two - &&zero};
    goto *(&&zero + offsets[i]);
zero:
    return 10;
one:
    return 11;
two:
    return 12;
}

static int in_loop(int n) {
    int count = 0;
    void *next = &&even;
    for (int i = 0; i < n; i++) {
        int square = i * i;
        goto *next;
    even:
        count += square;
        next = &&odd;
        continue;
    odd:
        count -= square;
        next = &&even;
    }
    return count;
}

static int local(int which) {
    __label__ a, b;
    void *to[2] = {&&a, &&b};
    goto *to[which];
a:
    return 1;
b:
    return to[0] == &&a ? 2 : 3;
}

int main(void) {
    printf("%d\n", run((unsigned char[]){1, 5, 1, 7, 2, 3, 3, 0}));
    printf("%d %d %d\n", by_distance(0), by_distance(1), by_distance(2));
    printf("%d %d\n", in_loop(5), in_loop(8));
    printf("%d %d\n", local(0), local(1));
    return 0;
}
