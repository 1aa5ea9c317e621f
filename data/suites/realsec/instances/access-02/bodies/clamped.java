public Role byNumber(int number) {
    return roles[Math.max(0, Math.min(number - 1, open - 1))];
}
