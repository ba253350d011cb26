// Output is an effect; how much was written is unknown, and nobody asks most of the time.
#include <stdio.h>
int main(void) {
    printf("%d\n", 1);
    (void)printf("ignored\n");
    int length = printf("asked\n");
    return length < 0;
}
