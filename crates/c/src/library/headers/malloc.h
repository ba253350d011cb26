#ifndef __NORN_MALLOC_H
#define __NORN_MALLOC_H
#include <features.h>
#include <stdlib.h>
void *memalign(size_t alignment, size_t size);
size_t malloc_usable_size(void *memory);
#endif
