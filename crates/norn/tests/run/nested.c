/* Functions inside of functions: what they see of those around them, recursion, pointers to them. */
#include <stdio.h>

static int apply(int (*f)(int), int n) {
    return f(n) + 1;
}

static void each(int *first, int count, void (*f)(int *)) {
    for (int i = 0; i < count; i++)
        f(&first[i]);
}

struct pair {
    int a, b;
};

static int sum(struct pair p, int n, ...) {
    int total = 0;
    void add(int k) {
        total += k * p.a;
    }
    for (int i = 0; i < n; i++)
        add(i);
    p.a = 100;
    add(1);
    return total;
}

static int tree(int depth) {
    int count = 0;
    auto void visit(int d);
    void both(int d) {
        visit(d - 1);
        visit(d - 1);
    }
    void visit(int d) {
        count++;
        if (d > 0)
            both(d);
    }
    visit(depth);
    return count;
}

static int deep(int x) {
    int middle(int y) {
        int y2 = y * 2;
        int inner(int z) {
            x++;
            y2 += z;
            return x * 100 + y2;
        }
        int result = inner(1);
        return result + inner(2);
    }
    return middle(x) + x;
}

static int array_sum(int n) {
    int values[n], square[n][2];
    void fill(int i) {
        values[i] = i * i;
        square[i][1] = values[i] + (int)(sizeof values / sizeof values[0]);
    }
    for (int i = 0; i < n; i++)
        fill(i);
    int s = 0;
    for (int i = 0; i < n; i++)
        s += square[i][1];
    return s;
}

static int recursive(int n) {
    int local = n;
    int get(void) {
        return local * 10;
    }
    if (n == 0)
        return get();
    int below = recursive(n - 1);
    return below + get();
}

int main(void) {
    int base = 5, calls = 0;
    int plus(int n) {
        calls++;
        return n + base;
    }
    int square(int n) {
        return n * n;
    }
    printf("%d %d\n", plus(1), square(4));
    base = 7;
    printf("%d\n", apply(plus, 10));
    printf("%d\n", apply(square, 6));
    printf("%d\n", apply(&plus, plus(1)));
    printf("%d calls\n", calls);
    printf("%d\n", sum((struct pair){2, 3}, 4));
    printf("%d\n", tree(3));
    printf("%d\n", deep(3));
    printf("%d\n", array_sum(4));
    printf("%d\n", recursive(4));
    int numbers[3] = {1, 2, 3}, total = 0;
    void add(int *n) {
        total += *n;
        *n *= 2;
    }
    each(numbers, 3, add);
    each(numbers, 3, add);
    printf("%d %d\n", total, numbers[2]);
    for (int i = 0; i < 3; i++) {
        int k = i * 10;
        int here(int j) {
            k++;
            return k + j + base;
        }
        printf("%d ", here(i) + here(1));
    }
    printf("\n");
    int (*f)(int) = square;
    for (int i = 0; i < 2; i++) {
        printf("%d ", f(3));
        f = plus;
    }
    printf("\n");
    return 0;
}
