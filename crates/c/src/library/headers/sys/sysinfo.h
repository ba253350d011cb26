#ifndef __NORN_SYS_SYSINFO_H
#define __NORN_SYS_SYSINFO_H
struct sysinfo {
    long uptime;
    unsigned long loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
    unsigned short procs, pad;
    unsigned long totalhigh, freehigh;
    unsigned int mem_unit;
    char __unused[20 - 2 * sizeof(long) - sizeof(int)];
};
/* No model: a call of these is reported by name. */
int sysinfo(struct sysinfo *result);
int get_nprocs(void);
int get_nprocs_conf(void);
long get_phys_pages(void);
long get_avphys_pages(void);
#endif
