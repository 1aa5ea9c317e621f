public boolean take(String night) {
    if (board.has(night)) {
        return false;
    }
    board.put(night, machine);
    return true;
}
