// vprintf and vfprintf: arguments from a list, with and without a look at the length.
#include <stdarg.h>
#include <stdio.h>

static void tell(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

static void tell_the_rest(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int first = va_arg(list, int);
    printf("%d, then ", first);
    vfprintf(stdout, format, list);
    va_end(list);
}

static int measured(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vprintf(format, list);
    va_end(list);
    return length;
}

int main(void)
{
    char text[] = "text";
    tell("nothing to fill in\n");
    tell("[%d] [%u] [%ld] [%lld] [%hhd]\n", -1, 4000000000u, -5000000000L, 1LL << 60, (char)300);
    tell("[%s] [%-6s] [%.2s] [%c]\n", text, "ab", text, 'x');
    tell("[%5.2f] [%g] [%e]\n", 2.5, 0.1, 12345.678);
    tell("[%*d] [%p] [%%]\n", 6, 42, (void *)0);
    tell_the_rest("%d and %s\n", 1, 2, "three");
    text[0] = 'n';
    printf("%d\n", measured("%s-%d\n", text, 77));
    return 0;
}
