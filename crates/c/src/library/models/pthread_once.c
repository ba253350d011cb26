/* One-time initialisation: 0 not begun, 1 running, 2 done. The function runs outside of any section; whoever comes meanwhile
   waits for its end. */
#include <norn.h>
#include <norn_pthread.h>

_Static_assert(sizeof(pthread_once_t) == 4, "glibc's size");

int pthread_once(pthread_once_t *control, void (*init)(void)) {
    __norn_section_begin();
    int state = *control;
    __norn_await(state != 1);
    if (state == 0)
        *control = 1;
    __norn_acquire(control);
    __norn_section_end();
    if (state == 0) {
        init();
        __norn_section_begin();
        *control = 2;
        __norn_release(control);
        __norn_section_end();
    }
    return 0;
}
