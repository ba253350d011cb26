#ifndef __NORN_SYS_POLL_H
#define __NORN_SYS_POLL_H
#include <poll.h>
#endif
