#ifndef __NORN_SYS_SYSINFO_H
#define __NORN_SYS_SYSINFO_H
#include <features.h>
struct sysinfo {
    long uptime;
    unsigned long loads[3];
    unsigned long totalram, freeram, sharedram, bufferram, totalswap, freeswap;
    unsigned short procs, pad;
    unsigned long totalhigh, freehigh;
    unsigned int mem_unit;
    char _f[20 - 2 * sizeof(long) - sizeof(int)];
};
int sysinfo(struct sysinfo *result);
int get_nprocs(void);
int get_nprocs_conf(void);
/* No model: a call of these is reported by name. */
long get_phys_pages(void);
long get_avphys_pages(void);
#endif
