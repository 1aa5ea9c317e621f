    if (amount <= 0 || *balance > INT_MAX - amount) {
        return false;
    }
    *balance += amount;
    return true;
}
