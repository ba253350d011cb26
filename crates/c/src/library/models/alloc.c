/* Memory beyond malloc, calloc and free, which the compiler knows. Memory runs out only if the user asks for that. */
#include <norn_errno.h>
#include <malloc.h>
#include <norn.h>
#include <string.h>

/* The content moves, also where it could stay. */
void *realloc(void *memory, size_t size) {
    if (memory == 0)
        return __norn_alloc(size);
    if (size == 0) {
        __norn_free(memory);
        return 0;
    }
    size_t old = __norn_object_size(memory);
    void *moved = __norn_alloc(size);
    if (!moved)
        return 0;
    memcpy(moved, memory, old < size ? old : size);
    __norn_free(memory);
    return moved;
}

void *reallocarray(void *memory, size_t count, size_t size) {
    if (size != 0 && count > (size_t)-1 / size) {
        errno = ENOMEM;
        return 0;
    }
    return realloc(memory, count * size);
}

/* Memory of the heap begins at a multiple of 16. A larger alignment is not kept. */
void *aligned_alloc(size_t alignment, size_t size) {
    (void)alignment;
    return __norn_alloc(size);
}

void *memalign(size_t alignment, size_t size) {
    (void)alignment;
    return __norn_alloc(size);
}

void *valloc(size_t size) {
    return __norn_alloc(size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    void *result = __norn_alloc(size);
    if (!result)
        return ENOMEM;
    *memory = result;
    return 0;
}

size_t malloc_usable_size(void *memory) {
    return memory ? __norn_object_size(memory) : 0;
}
