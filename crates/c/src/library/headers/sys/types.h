#ifndef __NORN_SYS_TYPES_H
#define __NORN_SYS_TYPES_H
#include <features.h>
#include <stddef.h>
typedef __PTRDIFF_TYPE__ ssize_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int id_t;
typedef unsigned int mode_t;
typedef long off_t;
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef void *timer_t;
typedef long suseconds_t;
typedef int key_t;
typedef unsigned int useconds_t;
typedef unsigned long ino_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
#ifdef __LP64__
typedef unsigned long dev_t;
typedef unsigned long nlink_t;
typedef long int64_t;
typedef unsigned long u_int64_t;
#else
typedef unsigned long long dev_t;
typedef unsigned int nlink_t;
typedef long long int64_t;
typedef unsigned long long u_int64_t;
#endif
typedef unsigned long pthread_t;
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
#endif
