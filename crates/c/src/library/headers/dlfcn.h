#ifndef __NORN_DLFCN_H
#define __NORN_DLFCN_H
#include <features.h>
#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_NOLOAD 4
#define RTLD_GLOBAL 256
#define RTLD_LOCAL 0
#define RTLD_NODELETE 4096
#define RTLD_DEFAULT ((void *)0)
#define RTLD_NEXT ((void *)-1l)
/* No model: a call of these is reported by name. */
void *dlopen(const char *file, int mode);
int dlclose(void *handle);
void *dlsym(void *restrict handle, const char *restrict name);
char *dlerror(void);
#endif
