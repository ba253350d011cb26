/*
 * Running it. The choices of one execution are a list of numbers, in the order in which they are made.
 * `PROGRAM FILE` follows the choices of a file; `PROGRAM --search [SECONDS]` tries all of them and prints those that
 * lead to a failure. Nondeterministic values of the program are tried with a few numbers only, memory that nobody has
 * written is taken for 0. Exit status: 10 a failure was reached, 0 none, 5 unknown, 1 wrong usage.
 *
 * The search goes depth first. Between two statements with labels the state of an execution is all static data, for no
 * variable of the program is anything else. So an execution that comes to a state that was seen is given up, and the next
 * list of choices goes on from the last state before they differ: the thread is resumed at its label, as in any round.
 * States are compared by 127 bits of hash.
 */

struct norn_made {
    u64 value, high, number;
    unsigned tried;
    int kind;
};

/* The static data at some point, after so many choices. */
struct norn_snapshot {
    unsigned long used;
    char *data;
};

struct norn_run {
    jmp_buf stop;
    struct norn_snapshot *snapshots;
    unsigned long depth, deepest;
    struct norn_made *made;
    unsigned long count, used, room;
    int searching, sampled, zeroed, unknown;
    u64 (*seen)[2];
    unsigned long seen_count, seen_room;
    unsigned long executions;
    unsigned long data_size;
    clock_t end;
};

/* All that changes lies behind this pointer, out of the reach of restoring the static data. */
static struct norn_run *norn_run;

extern char __data_start[], _end[];

static const u64 norn_values[] = {0, 1, 2, 3, (u64)-1};
#define NORN_VALUES (sizeof norn_values / sizeof norn_values[0])

static void norn_rejected(void)
{
    longjmp(norn_run->stop, 1);
}

static void norn_failed(const char *file, int line, const char *text, int status)
{
    struct norn_run *run = norn_run;
    unsigned long i;
    if (status != 10 && run->searching) {
        run->unknown = 1;
        fprintf(stderr, "%s:%d: %s\n", file, line, text);
        norn_rejected();
    }
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    if (run->searching) {
        printf("# %s:%d: %s\n", file, line, text);
        for (i = 0; i < run->used; i++)
            printf("%llu%s", run->made[i].kind == NORN_WHERE ? run->made[i].number : run->made[i].value, i % 20 == 19 || i + 1 == run->used ? "\n" : " ");
    }
    exit(status);
}

static void norn_hash(u64 hash[2], const char *from, const char *to)
{
    u64 a = hash[0], b = hash[1], word;
    for (; from + 8 <= to; from += 8) {
        memcpy(&word, from, 8);
        a = (a ^ word) * 0xff51afd7ed558ccdull;
        a ^= a >> 32;
        b = (b + word) * 0xc4ceb9fe1a85ec53ull;
        b ^= b >> 29;
    }
    for (; from < to; from++)
        a = (a ^ (u8)*from) * 0xff51afd7ed558ccdull;
    hash[0] = a;
    hash[1] = b;
}

/* Whether the state was seen before. */
static int norn_was_here(void)
{
    struct norn_run *run = norn_run;
    unsigned long i, at;
    u64 hash[2] = {0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full}, a, b;
    norn_hash(hash, __data_start, _end);
    a = hash[0];
    b = hash[1];
    a |= 1;
    if (2 * run->seen_count >= run->seen_room) {
        unsigned long room = run->seen_room ? 2 * run->seen_room : 1024;
        u64 (*seen)[2] = calloc(room, sizeof *seen);
        if (!seen)
            exit(5);
        for (i = 0; i < run->seen_room; i++) {
            if (!run->seen[i][0])
                continue;
            for (at = run->seen[i][0] % room; seen[at][0]; at = (at + 1) % room)
                ;
            memcpy(seen[at], run->seen[i], sizeof *seen);
        }
        free(run->seen);
        run->seen = seen;
        run->seen_room = room;
    }
    for (at = a % run->seen_room; run->seen[at][0]; at = (at + 1) % run->seen_room)
        if (run->seen[at][0] == a && run->seen[at][1] == b)
            return 1;
    run->seen[at][0] = a;
    run->seen[at][1] = b;
    run->seen_count++;
    return 0;
}

static _Bool norn_is_search(void)
{
    return norn_run->searching != 0;
}

/* What the choice that was made last stands for. */
static void norn_found(unsigned number)
{
    norn_run->made[norn_run->used - 1].number = number;
}

static u64 norn_choice(u64 mask, u64 low, u64 high, int kind)
{
    struct norn_run *run = norn_run;
    struct norn_made *made;
    if (low > high)
        norn_rejected();
    if (run->used < run->count) {
        u64 value = run->made[run->used++].value & mask;
        if (value < low || value > high) {
            if (!norn_is_search())
                fprintf(stderr, "choice %lu is %llu, but should lie between %llu and %llu\n", run->used, value, low, high);
            norn_rejected();
        }
        return value;
    }
    if (!run->searching)
        norn_failed("choices", (int)run->used, "there are no more choices", 5);
    if (run->count == run->room) {
        run->room = run->room ? 2 * run->room : 1024;
        run->made = realloc(run->made, run->room * sizeof *run->made);
        if (!run->made)
            exit(5);
    }
    made = &run->made[run->count++];
    run->used++;
    made->kind = kind;
    made->tried = 0;
    /* A slot first runs as far as it can; everything else begins with the smallest number. */
    made->value = kind == NORN_SWITCH ? high : low;
    made->high = kind == NORN_SWITCH ? low : kind == NORN_CONTENT ? made->value : high;
    norn_found((unsigned)made->value);
    run->sampled |= kind == NORN_VALUE;
    run->zeroed |= kind == NORN_CONTENT;
    return made->value;
}

static void norn_push(struct norn_run *run)
{
    struct norn_snapshot *snapshot;
    if (run->depth == run->deepest) {
        unsigned long i, deepest = run->deepest ? 2 * run->deepest : 64;
        run->snapshots = realloc(run->snapshots, deepest * sizeof *run->snapshots);
        if (!run->snapshots)
            exit(5);
        for (i = run->deepest; i < deepest; i++)
            run->snapshots[i].data = 0;
        run->deepest = deepest;
    }
    snapshot = &run->snapshots[run->depth++];
    if (!snapshot->data)
        snapshot->data = malloc(run->data_size);
    if (!snapshot->data)
        exit(5);
    snapshot->used = run->used;
    memcpy(snapshot->data, __data_start, run->data_size);
}

static void norn_here(unsigned where)
{
    struct norn_run *run = norn_run;
    norn_position = where;
    if (!run->searching || run->used < run->count)
        return;
    if (norn_was_here())
        norn_rejected();
    norn_push(run);
}

/* The next list of choices, if there is one. */
static int norn_advance(struct norn_run *run)
{
    run->count = run->used;
    while (run->count > 0) {
        struct norn_made *last = &run->made[run->count - 1];
        if (last->kind == NORN_VALUE) {
            while (++last->tried < NORN_VALUES) {
                last->value = norn_values[last->tried] & last->high;
                return 1;
            }
        } else if (last->value != last->high) {
            last->value += last->kind == NORN_SWITCH ? (u64)-1 : 1;
            return 1;
        }
        run->count--;
    }
    return 0;
}

static int norn_search(struct norn_run *run, double seconds)
{
#ifdef __OPTIMIZE__
    /* The static data is saved and restored behind the compiler's back, which must not keep it elsewhere. */
    fprintf(stderr, "compile without optimization to search\n");
    (void)seconds;
    (void)norn_advance;
    (void)run;
    return 1;
#else
    run->searching = 1;
    run->end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    run->data_size = (unsigned long)(_end - __data_start);
    norn_push(run);
    do {
        while (run->depth > 1 && run->snapshots[run->depth - 1].used >= run->count)
            run->depth--;
        memcpy(__data_start, run->snapshots[run->depth - 1].data, run->data_size);
        run->used = run->snapshots[run->depth - 1].used;
        run->executions++;
        if (!setjmp(run->stop))
            simulate();
        if (run->executions % 1024 == 0 && seconds > 0 && clock() > run->end) {
            printf("nothing found in %lu executions; not all were tried\n", run->executions);
            return 5;
        }
    } while (norn_advance(run));
    if (run->unknown) {
        printf("nothing found, but something that is not supported was reached\n");
        return 5;
    }
    printf("no failure in %lu executions, %lu states%s%s\n", run->executions, run->seen_count,
           run->sampled ? " (with a few of the nondeterministic values)" : "",
           run->zeroed ? " (memory that nobody has written taken for 0)" : "");
    return 0;
#endif
}

static int norn_follow(struct norn_run *run, const char *name)
{
    FILE *file = fopen(name, "r");
    u64 value;
    int c;
    if (!file) {
        perror(name);
        return 1;
    }
    while ((c = getc(file)) != EOF) {
        if (c == '#') {
            while (c != '\n' && c != EOF)
                c = getc(file);
        } else if (c >= '0' && c <= '9') {
            ungetc(c, file);
            if (fscanf(file, "%llu", &value) != 1)
                break;
            if (run->count == run->room) {
                run->room = run->room ? 2 * run->room : 1024;
                run->made = realloc(run->made, run->room * sizeof *run->made);
                if (!run->made)
                    return 5;
            }
            run->made[run->count++].value = value;
        }
    }
    fclose(file);
    if (setjmp(run->stop)) {
        printf("after %lu choices an assumption does not hold\n", run->used);
        return 5;
    }
    simulate();
    printf("no failure on the way of these choices\n");
    return 0;
}

int main(int argc, char **argv)
{
    norn_run = calloc(1, sizeof *norn_run);
    if (!norn_run)
        return 5;
    if (argc >= 2 && !strcmp(argv[1], "--search"))
        return norn_search(norn_run, argc >= 3 ? atof(argv[2]) : 0);
    if (argc == 2)
        return norn_follow(norn_run, argv[1]);
    fprintf(stderr, "usage: %s CHOICES | --search [SECONDS]\n", argv[0]);
    return 1;
}
