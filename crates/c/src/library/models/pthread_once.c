/* One-time initialisation: 0 not begun, 1 running, 2 done. The function runs outside of any section; whoever comes meanwhile
   waits for its end. A call after that does not synchronise, it only sees what the function did. */
#include <norn_cancel.h>

_Static_assert(sizeof(pthread_once_t) == 4, "glibc's size");

int pthread_once(pthread_once_t *control, void (*init)(void)) {
    if (__atomic_load_n(control, __ATOMIC_ACQUIRE) == 2)
        return 0;
    __norn_section_begin();
    int state = __atomic_load_n(control, __ATOMIC_ACQUIRE);
    __norn_await(state != 1);
    if (state == 0)
        *control = 1;
    __norn_section_end();
    if (state == 0) {
        if (__norn_is_linked("pthread_cancel"))
            __model_once_begins();
        init();
        if (__norn_is_linked("pthread_cancel"))
            __model_once_ends();
        __norn_section_begin();
        __atomic_store_n(control, 2, __ATOMIC_RELEASE);
        __norn_section_end();
    }
    return 0;
}
