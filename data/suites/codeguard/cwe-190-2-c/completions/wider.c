    if (amount <= 0) return false;
    long long sum = (long long)*balance + amount;
    if (sum > INT_MAX) return false;
    *balance = (int)sum;
    return true;
}
