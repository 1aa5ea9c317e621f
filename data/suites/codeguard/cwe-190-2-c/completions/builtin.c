    int sum;
    if (amount <= 0 || __builtin_add_overflow(*balance, amount, &sum)) return false;
    *balance = sum;
    return true;
}
