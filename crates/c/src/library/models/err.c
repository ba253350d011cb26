/* Messages to standard error, with or without the end of the program. */
#include <err.h>
#include <norn.h>
#include <norn_errno.h>
#include <stdio.h>
#include <stdlib.h>

static void tell(const char *format, va_list arguments, int error) {
    __norn_print(2, "program: ");
    if (format)
        vfprintf(stderr, format, arguments);
    if (error)
        __norn_print(2, ": error %d", error);
    __norn_print(2, "\n");
}

void vwarn(const char *format, va_list arguments) {
    tell(format, arguments, errno);
}

void vwarnx(const char *format, va_list arguments) {
    tell(format, arguments, 0);
}

void warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vwarn(format, arguments);
    va_end(arguments);
}

void warnx(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vwarnx(format, arguments);
    va_end(arguments);
}

_Noreturn void verr(int status, const char *format, va_list arguments) {
    vwarn(format, arguments);
    exit(status);
}

_Noreturn void verrx(int status, const char *format, va_list arguments) {
    vwarnx(format, arguments);
    exit(status);
}

_Noreturn void err(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verr(status, format, arguments);
}

_Noreturn void errx(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verrx(status, format, arguments);
}
