    if (amount <= 0) {
        return false;
    }
    *balance += amount;
    return true;
}
