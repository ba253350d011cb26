#ifndef __NORN_FEATURES_H
#define __NORN_FEATURES_H
/* What a file asks for with _GNU_SOURCE and its kin is there anyway. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
/* The headers follow glibc 2.31. */
#define __GNU_LIBRARY__ 6
#define __GLIBC__ 2
#define __GLIBC_MINOR__ 31
#define __GLIBC_PREREQ(major, minor) (__GLIBC__ * 65536 + __GLIBC_MINOR__ >= (major) * 65536 + (minor))
#define __GNUC_PREREQ(major, minor) (__GNUC__ * 65536 + __GNUC_MINOR__ >= (major) * 65536 + (minor))
#define __glibc_clang_prereq(major, minor) 0
#include <sys/cdefs.h>
#endif
