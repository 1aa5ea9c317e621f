public boolean take(String night) {
    if (board.has(night)) {
        return false;
    }
    boolean mine = board.putIfAbsent(night, machine);
    return mine;
}
