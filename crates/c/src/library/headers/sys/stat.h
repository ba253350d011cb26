#ifndef __NORN_SYS_STAT_H
#define __NORN_SYS_STAT_H
#include <features.h>
#include <sys/types.h>
#include <time.h>
#define S_IXOTH 1
#define S_IWOTH 2
#define S_IROTH 4
#define S_IRWXO 7
#define S_IXGRP 8
#define S_IWGRP 16
#define S_IRGRP 32
#define S_IRWXG 56
#define S_IEXEC 64
#define S_IXUSR 64
#define S_IWRITE 128
#define S_IWUSR 128
#define S_IREAD 256
#define S_IRUSR 256
#define S_IRWXU 448
#define S_ISVTX 512
#define S_ISGID 1024
#define S_ISUID 2048
#define S_IFIFO 0x1000
#define S_IFCHR 0x2000
#define S_IFDIR 0x4000
#define S_IFBLK 0x6000
#define S_IFREG 0x8000
#define S_IFLNK 0xa000
#define S_IFSOCK 0xc000
#define S_IFMT 0xf000
#define S_ISDIR(mode) (((mode) & S_IFMT) == S_IFDIR)
#define S_ISCHR(mode) (((mode) & S_IFMT) == S_IFCHR)
#define S_ISBLK(mode) (((mode) & S_IFMT) == S_IFBLK)
#define S_ISREG(mode) (((mode) & S_IFMT) == S_IFREG)
#define S_ISFIFO(mode) (((mode) & S_IFMT) == S_IFIFO)
#define S_ISLNK(mode) (((mode) & S_IFMT) == S_IFLNK)
#define S_ISSOCK(mode) (((mode) & S_IFMT) == S_IFSOCK)
typedef long blksize_t;
typedef long blkcnt_t;
struct stat {
    dev_t st_dev;
    ino_t st_ino;
    nlink_t st_nlink;
    mode_t st_mode;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    off_t st_size;
    blksize_t st_blksize;
    blkcnt_t st_blocks;
    struct timespec st_atim, st_mtim, st_ctim;
};
#define st_atime st_atim.tv_sec
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec
/* No model: a call of these is reported by name. */
int stat(const char *restrict path, struct stat *restrict result);
int fstat(int descriptor, struct stat *result);
int lstat(const char *restrict path, struct stat *restrict result);
int chmod(const char *path, mode_t mode);
int fchmod(int descriptor, mode_t mode);
int mkdir(const char *path, mode_t mode);
int mkfifo(const char *path, mode_t mode);
mode_t umask(mode_t mask);
#endif
