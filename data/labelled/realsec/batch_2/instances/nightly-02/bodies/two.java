public boolean take(String night) {
    return board.putIfAbsent(night, machine);
}
