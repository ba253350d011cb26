#ifndef __NORN_MODEL_STDIO_H
#define __NORN_MODEL_STDIO_H
/* The part of stdio.h that the models need. */
#include <stddef.h>
#include <stdarg.h>
typedef struct __norn_file { int __stream; } FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list args);
#endif
