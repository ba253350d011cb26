#ifndef __NORN_ERR_H
#define __NORN_ERR_H
#include <features.h>
#include <stdarg.h>
_Noreturn void err(int status, const char *format, ...);
_Noreturn void errx(int status, const char *format, ...);
_Noreturn void verr(int status, const char *format, va_list arguments);
_Noreturn void verrx(int status, const char *format, va_list arguments);
void vwarn(const char *format, va_list arguments);
void vwarnx(const char *format, va_list arguments);
void warn(const char *format, ...);
void warnx(const char *format, ...);
#endif
