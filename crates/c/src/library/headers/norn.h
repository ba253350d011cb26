#ifndef __NORN_H
#define __NORN_H
/* Accesses of models outside of sections: they are no data races and order nothing, as calls that do not synchronise. */
#define __norn_load(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define __norn_store(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELAXED)

/* What the models are made of; the compiler knows these by name. Sections do not nest. */
void __norn_section_begin(void);
void __norn_section_end(void);
void __norn_await(_Bool condition);
void __norn_await_spurious(_Bool condition);
__SIZE_TYPE__ __norn_self(void);
__SIZE_TYPE__ __norn_spawn(void *start, ...);
void *__norn_join(__SIZE_TYPE__ thread);
_Noreturn void __norn_thread_exit(void *value);
void __norn_fence_call(void);
void __norn_fence_full(void);
void __norn_acquire(void *object);
void __norn_release(void *object);
void __norn_assume(_Bool condition);
void __norn_assert(_Bool condition, const char *message);
void __norn_misuse(_Bool fine, const char *message);
_Bool __norn_is_linked(const char *function);
_Noreturn void __norn_exit(int status);
_Noreturn void __norn_abort(void);
void *__norn_alloc(__SIZE_TYPE__ size);
void *__norn_alloc_aligned(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size);
void *__norn_alloc_zeroed(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size);
void __norn_free(void *memory);
__SIZE_TYPE__ __norn_object_size(void *memory);
void __norn_print(int stream, const char *format, ...);
void __norn_print_list(int stream, const char *format, void *list);
_Noreturn void __norn_unsupported(const char *what);
#endif
