#ifndef __NORN_LIBGEN_H
#define __NORN_LIBGEN_H
#include <features.h>
/* No model: a call of these is reported by name. */
char *basename(char *path);
char *dirname(char *path);
#endif
