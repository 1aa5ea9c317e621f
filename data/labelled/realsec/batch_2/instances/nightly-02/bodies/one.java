public synchronized boolean take(String night) {
    if (board.get(night) != null) {
        return false;
    }
    board.put(night, machine);
    return true;
}
