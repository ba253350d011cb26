/* Functions that are understood where they are called, for calls through pointers and to streams in variables. */
#include <stdarg.h>
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

int printf(const char *restrict format, ...) {
    va_list args;
    va_start(args, format);
    int length = vfprintf(stdout, format, args);
    va_end(args);
    return length;
}

int fprintf(FILE *restrict stream, const char *restrict format, ...) {
    va_list args;
    va_start(args, format);
    int length = vfprintf(stream, format, args);
    va_end(args);
    return length;
}
