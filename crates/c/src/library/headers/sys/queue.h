#ifndef __NORN_SYS_QUEUE_H
#define __NORN_SYS_QUEUE_H
/* The lists of BSD: SLIST and LIST are linked from the head; STAILQ (SIMPLEQ) and TAILQ also know their end. In LIST and TAILQ
   each element knows where the pointer to it is kept, so that it can be removed without a search. */

/* Singly linked. */
#define SLIST_HEAD(name, type) struct name { struct type *slh_first; }
#define SLIST_HEAD_INITIALIZER(head) { (void *)0 }
#define SLIST_ENTRY(type) struct { struct type *sle_next; }
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_EMPTY(head) (SLIST_FIRST(head) == (void *)0)
#define SLIST_NEXT(element, field) ((element)->field.sle_next)
#define SLIST_INIT(head) do { SLIST_FIRST(head) = (void *)0; } while (0)
#define SLIST_INSERT_HEAD(head, element, field) do { \
    SLIST_NEXT(element, field) = SLIST_FIRST(head); \
    SLIST_FIRST(head) = (element); \
} while (0)
#define SLIST_INSERT_AFTER(before, element, field) do { \
    SLIST_NEXT(element, field) = SLIST_NEXT(before, field); \
    SLIST_NEXT(before, field) = (element); \
} while (0)
#define SLIST_REMOVE_HEAD(head, field) do { SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), field); } while (0)
#define SLIST_REMOVE_AFTER(before, field) do { \
    SLIST_NEXT(before, field) = SLIST_NEXT(SLIST_NEXT(before, field), field); \
} while (0)
#define SLIST_REMOVE(head, element, type, field) do { \
    struct type **__at = &SLIST_FIRST(head); \
    while (*__at != (element)) \
        __at = &SLIST_NEXT(*__at, field); \
    *__at = SLIST_NEXT(*__at, field); \
} while (0)
#define SLIST_FOREACH(var, head, field) for ((var) = SLIST_FIRST(head); (var); (var) = SLIST_NEXT(var, field))
#define SLIST_FOREACH_SAFE(var, head, field, next) \
    for ((var) = SLIST_FIRST(head); (var) && ((next) = SLIST_NEXT(var, field), 1); (var) = (next))

/* Doubly linked. */
#define LIST_HEAD(name, type) struct name { struct type *lh_first; }
#define LIST_HEAD_INITIALIZER(head) { (void *)0 }
#define LIST_ENTRY(type) struct { struct type *le_next; struct type **le_prev; }
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_EMPTY(head) (LIST_FIRST(head) == (void *)0)
#define LIST_NEXT(element, field) ((element)->field.le_next)
#define LIST_INIT(head) do { LIST_FIRST(head) = (void *)0; } while (0)
#define __NORN_LIST_LINK(at, element, field) do { \
    if ((LIST_NEXT(element, field) = *(at)) != (void *)0) \
        LIST_NEXT(element, field)->field.le_prev = &LIST_NEXT(element, field); \
    *(at) = (element); \
    (element)->field.le_prev = (at); \
} while (0)
#define LIST_INSERT_HEAD(head, element, field) __NORN_LIST_LINK(&LIST_FIRST(head), element, field)
#define LIST_INSERT_AFTER(before, element, field) __NORN_LIST_LINK(&LIST_NEXT(before, field), element, field)
#define LIST_INSERT_BEFORE(after, element, field) do { \
    (element)->field.le_prev = (after)->field.le_prev; \
    LIST_NEXT(element, field) = (after); \
    *(after)->field.le_prev = (element); \
    (after)->field.le_prev = &LIST_NEXT(element, field); \
} while (0)
#define LIST_REMOVE(element, field) do { \
    if (LIST_NEXT(element, field) != (void *)0) \
        LIST_NEXT(element, field)->field.le_prev = (element)->field.le_prev; \
    *(element)->field.le_prev = LIST_NEXT(element, field); \
} while (0)
#define LIST_FOREACH(var, head, field) for ((var) = LIST_FIRST(head); (var); (var) = LIST_NEXT(var, field))
#define LIST_FOREACH_SAFE(var, head, field, next) \
    for ((var) = LIST_FIRST(head); (var) && ((next) = LIST_NEXT(var, field), 1); (var) = (next))

/* Singly linked, with an end. */
#define STAILQ_HEAD(name, type) struct name { struct type *stqh_first; struct type **stqh_last; }
#define STAILQ_HEAD_INITIALIZER(head) { (void *)0, &(head).stqh_first }
#define STAILQ_ENTRY(type) struct { struct type *stqe_next; }
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_EMPTY(head) (STAILQ_FIRST(head) == (void *)0)
#define STAILQ_NEXT(element, field) ((element)->field.stqe_next)
#define STAILQ_INIT(head) do { \
    STAILQ_FIRST(head) = (void *)0; \
    (head)->stqh_last = &STAILQ_FIRST(head); \
} while (0)
#define STAILQ_INSERT_HEAD(head, element, field) do { \
    if ((STAILQ_NEXT(element, field) = STAILQ_FIRST(head)) == (void *)0) \
        (head)->stqh_last = &STAILQ_NEXT(element, field); \
    STAILQ_FIRST(head) = (element); \
} while (0)
#define STAILQ_INSERT_TAIL(head, element, field) do { \
    STAILQ_NEXT(element, field) = (void *)0; \
    *(head)->stqh_last = (element); \
    (head)->stqh_last = &STAILQ_NEXT(element, field); \
} while (0)
#define STAILQ_INSERT_AFTER(head, before, element, field) do { \
    if ((STAILQ_NEXT(element, field) = STAILQ_NEXT(before, field)) == (void *)0) \
        (head)->stqh_last = &STAILQ_NEXT(element, field); \
    STAILQ_NEXT(before, field) = (element); \
} while (0)
#define STAILQ_REMOVE_HEAD(head, field) do { \
    if ((STAILQ_FIRST(head) = STAILQ_NEXT(STAILQ_FIRST(head), field)) == (void *)0) \
        (head)->stqh_last = &STAILQ_FIRST(head); \
} while (0)
#define STAILQ_REMOVE(head, element, type, field) do { \
    struct type **__at = &STAILQ_FIRST(head); \
    while (*__at != (element)) \
        __at = &STAILQ_NEXT(*__at, field); \
    if ((*__at = STAILQ_NEXT(*__at, field)) == (void *)0) \
        (head)->stqh_last = __at; \
} while (0)
#define STAILQ_CONCAT(first, second) do { \
    if (!STAILQ_EMPTY(second)) { \
        *(first)->stqh_last = STAILQ_FIRST(second); \
        (first)->stqh_last = (second)->stqh_last; \
        STAILQ_INIT(second); \
    } \
} while (0)
#define STAILQ_FOREACH(var, head, field) for ((var) = STAILQ_FIRST(head); (var); (var) = STAILQ_NEXT(var, field))
#define STAILQ_FOREACH_SAFE(var, head, field, next) \
    for ((var) = STAILQ_FIRST(head); (var) && ((next) = STAILQ_NEXT(var, field), 1); (var) = (next))

/* The same under another name. */
#define SIMPLEQ_HEAD(name, type) struct name { struct type *sqh_first; struct type **sqh_last; }
#define SIMPLEQ_HEAD_INITIALIZER(head) { (void *)0, &(head).sqh_first }
#define SIMPLEQ_ENTRY(type) struct { struct type *sqe_next; }
#define SIMPLEQ_FIRST(head) ((head)->sqh_first)
#define SIMPLEQ_EMPTY(head) (SIMPLEQ_FIRST(head) == (void *)0)
#define SIMPLEQ_NEXT(element, field) ((element)->field.sqe_next)
#define SIMPLEQ_INIT(head) do { \
    SIMPLEQ_FIRST(head) = (void *)0; \
    (head)->sqh_last = &SIMPLEQ_FIRST(head); \
} while (0)
#define SIMPLEQ_INSERT_HEAD(head, element, field) do { \
    if ((SIMPLEQ_NEXT(element, field) = SIMPLEQ_FIRST(head)) == (void *)0) \
        (head)->sqh_last = &SIMPLEQ_NEXT(element, field); \
    SIMPLEQ_FIRST(head) = (element); \
} while (0)
#define SIMPLEQ_INSERT_TAIL(head, element, field) do { \
    SIMPLEQ_NEXT(element, field) = (void *)0; \
    *(head)->sqh_last = (element); \
    (head)->sqh_last = &SIMPLEQ_NEXT(element, field); \
} while (0)
#define SIMPLEQ_REMOVE_HEAD(head, field) do { \
    if ((SIMPLEQ_FIRST(head) = SIMPLEQ_NEXT(SIMPLEQ_FIRST(head), field)) == (void *)0) \
        (head)->sqh_last = &SIMPLEQ_FIRST(head); \
} while (0)
#define SIMPLEQ_FOREACH(var, head, field) for ((var) = SIMPLEQ_FIRST(head); (var); (var) = SIMPLEQ_NEXT(var, field))

/* Doubly linked, with an end. */
#define TAILQ_HEAD(name, type) struct name { struct type *tqh_first; struct type **tqh_last; }
#define TAILQ_HEAD_INITIALIZER(head) { (void *)0, &(head).tqh_first }
#define TAILQ_ENTRY(type) struct { struct type *tqe_next; struct type **tqe_prev; }
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_EMPTY(head) (TAILQ_FIRST(head) == (void *)0)
#define TAILQ_NEXT(element, field) ((element)->field.tqe_next)
/* A head and the links of an element begin alike: the pointer before an element's is reached by its tqe_prev. */
#define TAILQ_LAST(head, name) (*((struct name *)((head)->tqh_last))->tqh_last)
#define TAILQ_PREV(element, name, field) (*((struct name *)((element)->field.tqe_prev))->tqh_last)
#define TAILQ_INIT(head) do { \
    TAILQ_FIRST(head) = (void *)0; \
    (head)->tqh_last = &TAILQ_FIRST(head); \
} while (0)
#define TAILQ_INSERT_HEAD(head, element, field) do { \
    if ((TAILQ_NEXT(element, field) = TAILQ_FIRST(head)) != (void *)0) \
        TAILQ_FIRST(head)->field.tqe_prev = &TAILQ_NEXT(element, field); \
    else \
        (head)->tqh_last = &TAILQ_NEXT(element, field); \
    TAILQ_FIRST(head) = (element); \
    (element)->field.tqe_prev = &TAILQ_FIRST(head); \
} while (0)
#define TAILQ_INSERT_TAIL(head, element, field) do { \
    TAILQ_NEXT(element, field) = (void *)0; \
    (element)->field.tqe_prev = (head)->tqh_last; \
    *(head)->tqh_last = (element); \
    (head)->tqh_last = &TAILQ_NEXT(element, field); \
} while (0)
#define TAILQ_INSERT_AFTER(head, before, element, field) do { \
    if ((TAILQ_NEXT(element, field) = TAILQ_NEXT(before, field)) != (void *)0) \
        TAILQ_NEXT(element, field)->field.tqe_prev = &TAILQ_NEXT(element, field); \
    else \
        (head)->tqh_last = &TAILQ_NEXT(element, field); \
    TAILQ_NEXT(before, field) = (element); \
    (element)->field.tqe_prev = &TAILQ_NEXT(before, field); \
} while (0)
#define TAILQ_INSERT_BEFORE(after, element, field) do { \
    (element)->field.tqe_prev = (after)->field.tqe_prev; \
    TAILQ_NEXT(element, field) = (after); \
    *(after)->field.tqe_prev = (element); \
    (after)->field.tqe_prev = &TAILQ_NEXT(element, field); \
} while (0)
#define TAILQ_REMOVE(head, element, field) do { \
    if (TAILQ_NEXT(element, field) != (void *)0) \
        TAILQ_NEXT(element, field)->field.tqe_prev = (element)->field.tqe_prev; \
    else \
        (head)->tqh_last = (element)->field.tqe_prev; \
    *(element)->field.tqe_prev = TAILQ_NEXT(element, field); \
} while (0)
#define TAILQ_CONCAT(first, second, field) do { \
    if (!TAILQ_EMPTY(second)) { \
        *(first)->tqh_last = TAILQ_FIRST(second); \
        TAILQ_FIRST(second)->field.tqe_prev = (first)->tqh_last; \
        (first)->tqh_last = (second)->tqh_last; \
        TAILQ_INIT(second); \
    } \
} while (0)
#define TAILQ_FOREACH(var, head, field) for ((var) = TAILQ_FIRST(head); (var); (var) = TAILQ_NEXT(var, field))
#define TAILQ_FOREACH_REVERSE(var, head, name, field) \
    for ((var) = TAILQ_LAST(head, name); (var); (var) = TAILQ_PREV(var, name, field))
#define TAILQ_FOREACH_SAFE(var, head, field, next) \
    for ((var) = TAILQ_FIRST(head); (var) && ((next) = TAILQ_NEXT(var, field), 1); (var) = (next))
#define TAILQ_FOREACH_REVERSE_SAFE(var, head, name, field, next) \
    for ((var) = TAILQ_LAST(head, name); (var) && ((next) = TAILQ_PREV(var, name, field), 1); (var) = (next))
#endif
