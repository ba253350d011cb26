/* Properties of the process and its threads. Nobody can see a name; whether the system allows the rest is not known. */
#include <norn.h>
#include <norn_errno.h>
#include <sys/prctl.h>

_Bool __norn_nondet_refused(void);

int prctl(int option, ...) {
    switch (option) {
    case PR_SET_NAME:
        return 0;
    case PR_SET_PDEATHSIG:
    case PR_SET_DUMPABLE:
    case PR_SET_KEEPCAPS:
    case PR_SET_TIMERSLACK:
    case PR_SET_CHILD_SUBREAPER:
    case PR_SET_NO_NEW_PRIVS:
    case PR_SET_THP_DISABLE:
    case PR_SET_PTRACER:
        if (!__norn_nondet_refused())
            return 0;
        errno = EINVAL;
        return -1;
    default:
        __norn_unsupported("'prctl' that asks for something");
    }
}
