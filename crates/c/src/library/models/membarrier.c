/* The system call membarrier. A kernel may have it or not; that it has it and is asked for a fence in all threads is not modelled. */
#include <linux/membarrier.h>
#include <norn.h>
#include <norn_errno.h>

_Bool __norn_nondet_membarrier(void);

enum { NOT_CHOSEN, THERE, NOT_THERE };
static int choice;

static _Bool is_there(void) {
    __norn_section_begin();
    if (choice == NOT_CHOSEN)
        choice = __norn_nondet_membarrier() ? THERE : NOT_THERE;
    _Bool result = choice == THERE;
    __norn_section_end();
    return result;
}

long __norn_membarrier(int command) {
    if (!is_there()) {
        errno = ENOSYS;
        return -1;
    }
    if (command == MEMBARRIER_CMD_QUERY)
        return MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
    if (command == MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
        return 0;
    __norn_unsupported("a memory barrier in all threads ('membarrier')");
}
