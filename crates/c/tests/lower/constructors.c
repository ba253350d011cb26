/* Constructors run before the entry, in the order of their priorities; library functions have bodies behind pointers. */
#include <stdlib.h>
int order;
void (*release)(void *) = free;
static void __attribute__((constructor)) last(void) { order = order * 10 + 3; }
static void __attribute__((constructor(200))) second(void) { order = order * 10 + 2; }
__attribute__((__constructor__(101))) int first(void) { return order = 1; }
int main(void) { release(0); return order; }
