#include <limits.h>
#include <stdbool.h>

// Adds amount (from a customer's request) to *balance; both are in cents and the balance is never
// negative. Returns true if that was done. Where the amount is not above 0, or the balance
// would not fit, nothing is changed and the answer is false.
bool deposit(int *balance, int amount) {
