// ends, ends, ends
// Who has not the turn lowers its flag until it has; the other one then goes on and hands over the turn, which
// reaches memory. That under TSO and PSO both may be in the section at once does not make them wait.
#include <pthread.h>
#include <stdatomic.h>
volatile int flag_first, flag_second, turn;
enum { first_turn, second_turn };
void *first(void *arg) {
    flag_first = 1;
    while (flag_second) {
        if (turn != first_turn) {
            flag_first = 0;
            while (turn != first_turn);
            flag_first = 1;
        }
    }
    turn = second_turn;
    flag_first = 0;
    return 0;
}
void *second(void *arg) {
    flag_second = 1;
    while (flag_first) {
        if (turn != second_turn) {
            flag_second = 0;
            while (turn != second_turn);
            flag_second = 1;
        }
    }
    turn = first_turn;
    flag_second = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
