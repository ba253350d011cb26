// Output is an effect. How much was written nobody asks most of the time; the format may tell it.
#include <stdio.h>
int main(void) {
    printf("%d\n", 1);
    (void)printf("ignored\n");
    int length = printf("asked\n");
    length += printf("%d%c", length, 'x');
    length += printf("%5d", length);
    return length < 0;
}
