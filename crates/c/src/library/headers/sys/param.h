#ifndef __NORN_SYS_PARAM_H
#define __NORN_SYS_PARAM_H
#include <features.h>
#include <limits.h>
#include <endian.h>
#define NBBY 8
#define NGROUPS 65536
#define MAXPATHLEN 4096
#define MAXHOSTNAMELEN 64
#define DEV_BSIZE 512
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define howmany(x, y) (((x) + ((y) - 1)) / (y))
#define roundup(x, y) (((x) + ((y) - 1)) / (y) * (y))
#define powerof2(x) ((((x) - 1) & (x)) == 0)
#define setbit(a, i) ((a)[(i) / NBBY] |= 1 << (i) % NBBY)
#define clrbit(a, i) ((a)[(i) / NBBY] &= ~(1 << (i) % NBBY))
#define isset(a, i) ((a)[(i) / NBBY] & (1 << (i) % NBBY))
#define isclr(a, i) (((a)[(i) / NBBY] & (1 << (i) % NBBY)) == 0)
#endif
