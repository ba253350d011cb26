#ifndef __NORN_SYS_ERRNO_H
#define __NORN_SYS_ERRNO_H
#include <errno.h>
#endif
