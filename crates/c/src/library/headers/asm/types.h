#ifndef __NORN_ASM_TYPES_H
#define __NORN_ASM_TYPES_H
#include <linux/types.h>
#endif
