#ifndef __NORN_SYS_SOCKET_H
#define __NORN_SYS_SOCKET_H
#include <features.h>
#include <sys/types.h>
#include <sys/uio.h>
#define AF_UNSPEC 0
#define PF_UNSPEC 0
#define AF_LOCAL 1
#define AF_UNIX 1
#define MSG_OOB 1
#define PF_LOCAL 1
#define PF_UNIX 1
#define SOL_SOCKET 1
#define AF_INET 2
#define MSG_PEEK 2
#define PF_INET 2
#define SO_REUSEADDR 2
#define SO_TYPE 3
#define SO_ERROR 4
#define SO_BROADCAST 6
#define SO_SNDBUF 7
#define SO_RCVBUF 8
#define SO_KEEPALIVE 9
#define AF_INET6 10
#define PF_INET6 10
#define SO_LINGER 13
#define SO_REUSEPORT 15
#define SO_RCVTIMEO 20
#define SO_SNDTIMEO 21
#define MSG_TRUNC 32
#define MSG_DONTWAIT 64
#define MSG_WAITALL 256
#define SOMAXCONN 0x1000
#define MSG_NOSIGNAL 0x4000
#define MSG_MORE 0x8000
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOCK_RAW 3
#define SOCK_SEQPACKET 5
#define SOCK_NONBLOCK 2048
#define SOCK_CLOEXEC 0x80000
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
typedef unsigned int socklen_t;
typedef unsigned short sa_family_t;
struct sockaddr { sa_family_t sa_family; char sa_data[14]; };
struct sockaddr_storage { sa_family_t ss_family; char __padding[118]; unsigned long __align; };
struct msghdr {
    void *msg_name;
    socklen_t msg_namelen;
    struct iovec *msg_iov;
    size_t msg_iovlen;
    void *msg_control;
    size_t msg_controllen;
    int msg_flags;
};
struct cmsghdr {
    size_t cmsg_len;
    int cmsg_level, cmsg_type;
};
#define SCM_RIGHTS 1
#define CMSG_ALIGN(length) (((length) + sizeof(size_t) - 1) & ~(sizeof(size_t) - 1))
#define CMSG_SPACE(length) (CMSG_ALIGN(length) + CMSG_ALIGN(sizeof(struct cmsghdr)))
#define CMSG_LEN(length) (CMSG_ALIGN(sizeof(struct cmsghdr)) + (length))
#define CMSG_DATA(header) ((unsigned char *)((struct cmsghdr *)(header) + 1))
#define CMSG_FIRSTHDR(message) \
    ((message)->msg_controllen >= sizeof(struct cmsghdr) ? (struct cmsghdr *)(message)->msg_control : (struct cmsghdr *)0)
struct linger { int l_onoff, l_linger; };
/* No model: a call of these is reported by name. */
int socket(int domain, int type, int protocol);
int socketpair(int domain, int type, int protocol, int descriptors[2]);
int bind(int socket, const struct sockaddr *address, socklen_t length);
int connect(int socket, const struct sockaddr *address, socklen_t length);
int listen(int socket, int backlog);
int accept(int socket, struct sockaddr *restrict address, socklen_t *restrict length);
int getsockname(int socket, struct sockaddr *restrict address, socklen_t *restrict length);
int getsockopt(int socket, int level, int option, void *restrict value, socklen_t *restrict length);
int setsockopt(int socket, int level, int option, const void *value, socklen_t length);
ssize_t send(int socket, const void *from, size_t size, int flags);
ssize_t recv(int socket, void *to, size_t size, int flags);
ssize_t sendto(int socket, const void *from, size_t size, int flags, const struct sockaddr *address, socklen_t length);
ssize_t recvfrom(int socket, void *restrict to, size_t size, int flags, struct sockaddr *restrict address,
                 socklen_t *restrict length);
ssize_t sendmsg(int socket, const struct msghdr *message, int flags);
ssize_t recvmsg(int socket, struct msghdr *message, int flags);
int shutdown(int socket, int how);
#endif
