#ifndef __NORN_EXECINFO_H
#define __NORN_EXECINFO_H
#include <features.h>
/* No model: a call of these is reported by name. */
int backtrace(void **frames, int size);
char **backtrace_symbols(void *const *frames, int size);
void backtrace_symbols_fd(void *const *frames, int size, int descriptor);
#endif
