#ifndef __NORN_FCNTL_H
#define __NORN_FCNTL_H
#include <features.h>
#include <sys/types.h>
#include <sys/stat.h>
#define AT_FDCWD (-100)
#define F_DUPFD 0
#define F_RDLCK 0
#define O_RDONLY 0
#define POSIX_FADV_NORMAL 0
#define FD_CLOEXEC 1
#define F_GETFD 1
#define F_WRLCK 1
#define O_WRONLY 1
#define POSIX_FADV_RANDOM 1
#define F_SETFD 2
#define F_UNLCK 2
#define O_RDWR 2
#define POSIX_FADV_SEQUENTIAL 2
#define F_GETFL 3
#define O_ACCMODE 3
#define POSIX_FADV_WILLNEED 3
#define F_SETFL 4
#define POSIX_FADV_DONTNEED 4
#define F_GETLK 5
#define POSIX_FADV_NOREUSE 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_SETOWN 8
#define F_GETOWN 9
#define O_CREAT 64
#define O_EXCL 128
#define AT_SYMLINK_NOFOLLOW 256
#define O_NOCTTY 256
#define AT_EACCESS 512
#define AT_REMOVEDIR 512
#define O_TRUNC 512
#define AT_SYMLINK_FOLLOW 1024
#define O_APPEND 1024
#define F_DUPFD_CLOEXEC 1030
#define F_SETPIPE_SZ 1031
#define F_GETPIPE_SZ 1032
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#define O_NDELAY 2048
#define O_NONBLOCK 2048
#define AT_EMPTY_PATH 0x1000
#define O_DSYNC 0x1000
#define O_ASYNC 0x2000
#define O_DIRECT 0x4000
#define O_DIRECTORY 0x10000
#define O_NOFOLLOW 0x20000
#define O_NOATIME 0x40000
#define O_CLOEXEC 0x80000
#define O_RSYNC 0x101000
#define O_SYNC 0x101000
#define O_PATH 0x200000
#define O_TMPFILE 0x410000
struct flock { short l_type, l_whence; off_t l_start, l_len; pid_t l_pid; };
/* No model: a call of these is reported by name. */
int open(const char *path, int flags, ...);
int openat(int folder, const char *path, int flags, ...);
int creat(const char *path, mode_t mode);
int fcntl(int descriptor, int command, ...);
int posix_fadvise(int descriptor, off_t offset, off_t length, int advice);
int posix_fallocate(int descriptor, off_t offset, off_t length);
#endif
