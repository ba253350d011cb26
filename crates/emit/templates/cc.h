#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Nondeterminism comes from recorded choices, or from a search that tries them all: see the end of the file. */
static u64 norn_choice(u64 low, u64 high, int kind);
static void norn_rejected(void);
static void norn_failed(const char *file, int line, const char *text, int status);
/* Called where the static data is all that there is, with a number that says where. */
static void norn_here(unsigned where);
static unsigned norn_position;
static _Bool norn_started;
#define HERE(where) norn_here(where);
/* A slot, from its beginning or from the label at which the search goes on. */
#define SLOT(t, function) \
    if (ct == t) { \
        if (active[ct]) { \
            if (norn_position > 0) { \
                pc[ct] = norn_position - 1; \
            } else { \
                norn_here(0); \
                cs = next_switch(pc[ct], size[ct]); \
            } \
            function(); \
            pc[ct] = cs; \
            norn_position = 0; \
        } \
        ct = t + 1; \
    }

enum { NORN_CHOICE, NORN_SWITCH, NORN_VALUE, NORN_CONTENT };

#define nondet(T) nondet_##T()
#define nondet_bool() ((_Bool)norn_choice(0, 1, NORN_CHOICE))
#define nondet_u8() ((u8)norn_choice(0, (u8)-1, NORN_VALUE))
#define nondet_u16() ((u16)norn_choice(0, (u16)-1, NORN_VALUE))
#define nondet_u32() ((u32)norn_choice(0, (u32)-1, NORN_VALUE))
#define nondet_u64() ((u64)norn_choice(0, (u64)-1, NORN_VALUE))
#define nondet_address() ((address)(uptr)norn_choice(0, (u64)-1, NORN_VALUE))
#define content(T) content_##T()
#define content_u8() ((u8)norn_choice(0, (u8)-1, NORN_CONTENT))
#define content_u16() ((u16)norn_choice(0, (u16)-1, NORN_CONTENT))
#define content_u32() ((u32)norn_choice(0, (u32)-1, NORN_CONTENT))
#define content_u64() ((u64)norn_choice(0, (u64)-1, NORN_CONTENT))
#define content_address() ((address)(uptr)norn_choice(0, (u64)-1, NORN_CONTENT))

#define assume(condition) do { if (!(condition)) norn_rejected(); } while (0)
#define fail(text) norn_failed(__FILE__, __LINE__, text, 10)
#define unsupported(text) norn_failed(__FILE__, __LINE__, "not supported: " text, 5)
#define choose(low, high) ((unsigned)norn_choice(low, high, NORN_CHOICE))
#define next_switch(low, high) ((unsigned)norn_choice(low, high, NORN_SWITCH))
/* A number from low to high for which the condition holds, the choice being which of them. */
#define choose_where(number, low, high, condition) \
    do { \
        unsigned norn_left = 0; \
        for (number = (low); number <= (high); number++) \
            norn_left += (condition) ? 1 : 0; \
        assume(norn_left > 0); \
        norn_left = choose(1, norn_left); \
        for (number = (low); !(condition) || --norn_left > 0; number++) \
            ; \
    } while (0)
