#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Nondeterminism comes from recorded choices, or from a search that tries them all: see the end of the file. */
static u64 norn_choice(u64 mask, u64 low, u64 high, int kind);
static _Bool norn_is_search(void);
static void norn_found(unsigned number);
static void norn_rejected(void);
static void norn_failed(const char *file, int line, const char *text, int status);
/* Called where the static data is all that there is, with a number that says where. */
static void norn_here(unsigned where);
static unsigned norn_position;
static _Bool norn_started;
#define HERE(where) norn_here(where);
/* A slot, from its beginning or from the label at which the search goes on. */
#define SLOT(t, function, bits) \
    if (ct == t) { \
        if (active[ct]) { \
            if (norn_position > 0) { \
                pc[ct] = norn_position - 1; \
            } else { \
                norn_here(0); \
                cs = next_switch(bits, pc[ct], size[ct]); \
            } \
            function(); \
            pc[ct] = cs; \
            norn_position = 0; \
        } \
        ct = t + 1; \
    }

enum { NORN_CHOICE, NORN_WHERE, NORN_SWITCH, NORN_VALUE, NORN_CONTENT };

#define nondet(T) nondet_##T()
#define norn_any(T, kind) ((T)norn_choice((T)-1, 0, (T)-1, kind))
#define nondet_bool() ((_Bool)norn_choice(1, 0, 1, NORN_CHOICE))
#define nondet_u8() norn_any(u8, NORN_VALUE)
#define nondet_u16() norn_any(u16, NORN_VALUE)
#define nondet_u32() norn_any(u32, NORN_VALUE)
#define nondet_u64() norn_any(u64, NORN_VALUE)
#define nondet_address() ((address)(uptr)nondet_u64())
#define content(T) content_##T()
#define content_u8() norn_any(u8, NORN_CONTENT)
#define content_u16() norn_any(u16, NORN_CONTENT)
#define content_u32() norn_any(u32, NORN_CONTENT)
#define content_u64() norn_any(u64, NORN_CONTENT)
#define content_address() ((address)(uptr)content_u64())

#define assume(condition) do { if (!(condition)) norn_rejected(); } while (0)
#define fail(text) norn_failed(__FILE__, __LINE__, text, 10)
#define unsupported(text) norn_failed(__FILE__, __LINE__, "not supported: " text, 5)
#define norn_bits(bits) ((1u << (bits)) - 1)
#define choose(bits, low, high) ((unsigned)norn_choice(norn_bits(bits), low, high, NORN_CHOICE))
#define next_switch(bits, low, high) ((unsigned)norn_choice(norn_bits(bits), low, high, NORN_SWITCH))
/* A number from low to high for which the condition holds. The search only tries which of those numbers it is. */
#define choose_where(bits, number, low, high, condition) \
    do { \
        if (norn_is_search()) { \
            unsigned norn_left = 0; \
            for (number = (low); number <= (high); number++) \
                norn_left += (condition) ? 1 : 0; \
            norn_left = (unsigned)norn_choice((u64)-1, 1, norn_left, NORN_WHERE); \
            for (number = (low); !(condition) || --norn_left > 0; number++) \
                ; \
            norn_found(number); \
        } else { \
            number = choose(bits, low, high); \
            assume(condition); \
        } \
    } while (0)
