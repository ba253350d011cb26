/* The printf family on top of vsnprintf; printf and fprintf themselves are known to the compiler. */
#include <norn.h>
#include <norn_stdint.h>
#include <norn_stdio.h>
#include <stdlib.h>

int vsprintf(char *restrict to, const char *restrict format, va_list args) {
    return vsnprintf(to, INT32_MAX, format, args);
}

int sprintf(char *restrict to, const char *restrict format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(to, INT32_MAX, format, args);
    va_end(args);
    return length;
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(to, size, format, args);
    va_end(args);
    return length;
}

int vasprintf(char **restrict to, const char *restrict format, va_list args) {
    int length = vsnprintf(0, 0, format, args);
    char *text = malloc((size_t)length + 1);
    if (!text)
        return -1;
    vsnprintf(text, (size_t)length + 1, format, args);
    *to = text;
    return length;
}

int asprintf(char **restrict to, const char *restrict format, ...) {
    va_list args;
    va_start(args, format);
    int length = vasprintf(to, format, args);
    va_end(args);
    return length;
}

int vfprintf(FILE *restrict stream, const char *restrict format, va_list args) {
    char *text;
    int length = vasprintf(&text, format, args);
    if (length < 0)
        return length;
    if (stream == stderr)
        __norn_print(2, "%s", text);
    else
        __norn_print(1, "%s", text);
    free(text);
    return length;
}

int vprintf(const char *restrict format, va_list args) {
    return vfprintf(stdout, format, args);
}
