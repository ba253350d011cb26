/* Whether some mutex may be recursive or check for errors: then this function is part of the program. Whatever can make such a
   mutex mentions it, so that programs with normal mutexes alone need not look at the kind first. */
void __norn_mutex_kinds(void);

void __norn_mutex_kinds(void) {
}
