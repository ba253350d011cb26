#ifndef __NORN_SYS_UNISTD_H
#define __NORN_SYS_UNISTD_H
#include <unistd.h>
#endif
