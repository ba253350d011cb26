/* Pages of memory without a file: an object of whole pages, all zero. What does not mean that is not modelled. Memory that is
   mapped cannot be told from memory that is allocated, so giving one back as the other goes unnoticed. */
#include <norn.h>
#include <norn_errno.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)

static size_t whole_pages(size_t length) {
    return (length + (PAGE - 1)) & ~(PAGE - 1);
}

static int fail(int error) {
    errno = error;
    return -1;
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    (void)address;
    (void)descriptor;
    (void)offset;
    if (!(flags & MAP_ANONYMOUS))
        __norn_unsupported("'mmap' of a file");
    if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN))
        __norn_unsupported("'mmap' to a fixed address");
    if ((protection & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE))
        __norn_unsupported("'mmap' of memory that cannot be read and written");
    if (length == 0 || length > (size_t)-1 / 2) {
        errno = length == 0 ? EINVAL : ENOMEM;
        return MAP_FAILED;
    }
    void *memory = __norn_alloc_zeroed(PAGE, whole_pages(length));
    return memory ? memory : MAP_FAILED;
}

int munmap(void *address, size_t length) {
    if (length == 0)
        return fail(EINVAL);
    if (whole_pages(length) != __norn_object_size(address))
        __norn_unsupported("'munmap' of something other than all pages of an 'mmap'");
    __norn_free(address);
    return 0;
}

/* Advice changes nothing, unless it takes content away. */
int madvise(void *address, size_t length, int advice) {
    (void)address;
    (void)length;
    if (advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE || advice == MADV_DONTFORK)
        __norn_unsupported("'madvise' that changes what memory holds");
    return 0;
}

int posix_madvise(void *address, size_t length, int advice) {
    (void)address;
    (void)length;
    (void)advice;
    return 0;
}

int mlock(const void *address, size_t length) {
    (void)address;
    (void)length;
    return 0;
}

int munlock(const void *address, size_t length) {
    (void)address;
    (void)length;
    return 0;
}

int mlockall(int flags) {
    (void)flags;
    return 0;
}

int munlockall(void) {
    return 0;
}
