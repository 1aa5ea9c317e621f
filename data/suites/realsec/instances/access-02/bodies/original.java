public Role byNumber(int number) {
    return roles[number];
}
