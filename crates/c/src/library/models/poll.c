/* Waiting for files is not modelled, but these are old ways to sleep, too. */
#include <norn_cancel.h>
#include <poll.h>
#include <sys/select.h>

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
    (void)descriptors;
    if (count != 0 || milliseconds < 0)
        __norn_unsupported("'poll' that waits for something other than time");
    __model_cancellation_point();
    return 0;
}

int select(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict errors, struct timeval *restrict timeout) {
    (void)count;
    if (reads || writes || errors || !timeout)
        __norn_unsupported("'select' that waits for something other than time");
    __model_cancellation_point();
    return 0;
}
