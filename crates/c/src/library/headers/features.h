#ifndef __NORN_FEATURES_H
#define __NORN_FEATURES_H
/* What a file asks for with _GNU_SOURCE and its kin is there anyway. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#endif
