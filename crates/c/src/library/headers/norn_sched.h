#ifndef __NORN_MODEL_SCHED_H
#define __NORN_MODEL_SCHED_H
/* The part of sched.h that the models need. */
struct sched_param { int sched_priority; };
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#endif
