/* snprintf and sprintf with literal formats, which are understood at the call. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int calls;

static int next(const char *text) {
    calls++;
    return (int)strlen(text) + calls;
}

static void show(int length, const char *text) {
    printf("%d [%s]\n", length, text);
}

int main(void) {
    char text[80] = "old", other[] = "other";
    volatile int zero = 0, smallest = INT_MIN, largest = INT_MAX;
    show(snprintf(text, sizeof text, "thread-%d of %u%%", 7 + zero, 12u), text);
    show(snprintf(text, sizeof text, "%d %i %u", smallest, largest, UINT_MAX), text);
    show(snprintf(text, sizeof text, "%lld %llu", LLONG_MIN, ULLONG_MAX), text);
    show(snprintf(text, sizeof text, "%x %X %o %x", 0xbeef + zero, 0xbeef, 8, zero), text);
    show(snprintf(text, sizeof text, "%lx %zu %jd", 255ul, sizeof(int), (__INTMAX_TYPE__)-1), text);
    show(snprintf(text, sizeof text, "%c%c-%s!", 'a', 98 + zero, "literal"), text);
    show(snprintf(text, 5, "cut %d", 12345), text);
    show(snprintf(text, 1, "%d", 12345), text);
    show(snprintf(0, 0, "%d counted", 12345), "-");
    show(snprintf(text, 6, "-%d", -123456), text);
    show(sprintf(text, "longer than eight characters, %d and %d", 1, -2), text);
    /* Arguments come before the first character is written. */
    strcpy(text, "four");
    show(snprintf(text, sizeof text, "%d,%d", next(text), 1), text);
    show(sprintf(text, ""), text);
    /* With widths and other strings the general model is asked. */
    show(snprintf(text, sizeof text, "%5d|%-3d|%s", 42, 7, other + zero), text);
    return 0;
}
