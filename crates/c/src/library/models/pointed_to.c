/* Functions that are understood where they are called, for calls through pointers. What they print is shown as the
 * format alone. */
#include <norn.h>
#include <stdio.h>
#include <stdlib.h>

void *malloc(size_t size) {
    return __builtin_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return __builtin_calloc(count, size);
}

void free(void *memory) {
    __builtin_free(memory);
}

void abort(void) {
    __builtin_abort();
}

int printf(const char *format, ...) {
    __norn_print(1, "%s", format);
    return 0;
}

int fprintf(FILE *stream, const char *format, ...) {
    __norn_print(stream == stderr ? 2 : 1, "%s", format);
    return 0;
}
