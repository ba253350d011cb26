#ifndef __NORN_SYS_MMAN_H
#define __NORN_SYS_MMAN_H
#include <features.h>
#include <sys/types.h>
#define MADV_NORMAL 0
#define MAP_FILE 0
#define POSIX_MADV_NORMAL 0
#define PROT_NONE 0
#define MADV_RANDOM 1
#define MAP_SHARED 1
#define MCL_CURRENT 1
#define MREMAP_MAYMOVE 1
#define MS_ASYNC 1
#define POSIX_MADV_RANDOM 1
#define PROT_READ 1
#define MADV_SEQUENTIAL 2
#define MAP_PRIVATE 2
#define MCL_FUTURE 2
#define MREMAP_FIXED 2
#define MS_INVALIDATE 2
#define POSIX_MADV_SEQUENTIAL 2
#define PROT_WRITE 2
#define MADV_WILLNEED 3
#define MAP_SHARED_VALIDATE 3
#define POSIX_MADV_WILLNEED 3
#define MADV_DONTNEED 4
#define MS_SYNC 4
#define POSIX_MADV_DONTNEED 4
#define PROT_EXEC 4
#define MADV_FREE 8
#define MADV_REMOVE 9
#define MADV_DONTFORK 10
#define MADV_DOFORK 11
#define MADV_HUGEPAGE 14
#define MADV_NOHUGEPAGE 15
#define MADV_DONTDUMP 16
#define MAP_FIXED 16
#define MADV_DODUMP 17
#define MAP_HUGE_SHIFT 26
#define MAP_ANON 32
#define MAP_ANONYMOUS 32
#define MAP_HUGE_MASK 63
#define MAP_32BIT 64
#define MAP_GROWSDOWN 256
#define MAP_DENYWRITE 2048
#define MAP_EXECUTABLE 0x1000
#define MAP_LOCKED 0x2000
#define MAP_NORESERVE 0x4000
#define MAP_POPULATE 0x8000
#define MAP_NONBLOCK 0x10000
#define MAP_STACK 0x20000
#define MAP_HUGETLB 0x40000
#define MAP_SYNC 0x80000
#define MAP_FIXED_NOREPLACE 0x100000
#define MAP_FAILED ((void *)-1)
/* No model: a call of these is reported by name. */
void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset);
int munmap(void *address, size_t length);
int mprotect(void *address, size_t length, int protection);
int msync(void *address, size_t length, int flags);
int madvise(void *address, size_t length, int advice);
int posix_madvise(void *address, size_t length, int advice);
int mlock(const void *address, size_t length);
int munlock(const void *address, size_t length);
int mlockall(int flags);
int munlockall(void);
void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...);
int shm_open(const char *name, int flags, mode_t mode);
int shm_unlink(const char *name);
int memfd_create(const char *name, unsigned int flags);
#endif
