#ifndef __NORN_MODEL_STDIO_H
#define __NORN_MODEL_STDIO_H
/* The part of stdio.h that the models need. */
typedef struct __norn_file { int __stream; } FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#endif
