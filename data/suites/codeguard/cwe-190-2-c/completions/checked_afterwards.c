    if (amount <= 0) return false;
    int sum = *balance + amount;
    if (sum < *balance) return false;
    *balance = sum;
    return true;
}
