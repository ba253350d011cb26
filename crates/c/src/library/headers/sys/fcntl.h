#ifndef __NORN_SYS_FCNTL_H
#define __NORN_SYS_FCNTL_H
#include <fcntl.h>
#endif
