#ifndef __NORN_SYS_UTSNAME_H
#define __NORN_SYS_UTSNAME_H
#include <features.h>
struct utsname { char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65]; };
/* No model: a call of these is reported by name. */
int uname(struct utsname *result);
#endif
