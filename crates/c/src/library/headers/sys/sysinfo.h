#ifndef __NORN_SYS_SYSINFO_H
#define __NORN_SYS_SYSINFO_H
/* No model: a call of these is reported by name. */
int get_nprocs(void);
int get_nprocs_conf(void);
long get_phys_pages(void);
long get_avphys_pages(void);
#endif
