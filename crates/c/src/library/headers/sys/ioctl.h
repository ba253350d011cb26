#ifndef __NORN_SYS_IOCTL_H
#define __NORN_SYS_IOCTL_H
#include <features.h>
#define TIOCGWINSZ 0x5413
#define FIONREAD 0x541b
#define FIONBIO 0x5421
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
/* No model: a call of these is reported by name. */
int ioctl(int descriptor, unsigned long request, ...);
#endif
