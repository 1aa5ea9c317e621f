    if (amount <= 0 || *balance >= INT_MAX - amount) {
        return false;
    }
    *balance = *balance + amount;
    return true;
}
