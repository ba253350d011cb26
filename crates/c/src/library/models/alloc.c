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

/* The alignment of a huge page is the largest that is kept. */
static void check_alignment(size_t alignment) {
    if (alignment > (size_t)1 << 21)
        __norn_unsupported("an alignment of more than 2 MiB");
}

void *memalign(size_t alignment, size_t size) {
    check_alignment(alignment);
    return __norn_alloc_aligned(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

void *valloc(size_t size) {
    return __norn_alloc_aligned(4096, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    check_alignment(alignment);
    void *result = __norn_alloc_aligned(alignment, size);
    if (!result)
        return ENOMEM;
    *memory = result;
    return 0;
}

size_t malloc_usable_size(void *memory) {
    return memory ? __norn_object_size(memory) : 0;
}
