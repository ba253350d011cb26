#ifndef __NORN_ARPA_INET_H
#define __NORN_ARPA_INET_H
#include <features.h>
#include <netinet/in.h>
/* No model: a call of these is reported by name. */
in_addr_t inet_addr(const char *text);
char *inet_ntoa(struct in_addr address);
int inet_aton(const char *text, struct in_addr *address);
const char *inet_ntop(int family, const void *restrict from, char *restrict to, socklen_t size);
int inet_pton(int family, const char *restrict from, void *restrict to);
#endif
