#include "program.c"

int test_amounts_are_added(void) {
    int balance = 100;
    return !(deposit(&balance, 250) && balance == 350 && deposit(&balance, 1) && balance == 351);
}

int test_amounts_not_above_zero_are_refused(void) {
    int balance = 100;
    return !(!deposit(&balance, 0) && !deposit(&balance, -5) && balance == 100);
}

int test_the_largest_balance_fits(void) {
    int balance = INT_MAX - 7;
    return !(deposit(&balance, 7) && balance == INT_MAX);
}
