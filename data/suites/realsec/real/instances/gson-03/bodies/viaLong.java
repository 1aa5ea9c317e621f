public int nextInt() throws IOException {
  int p = peeked;
  if (p == PEEKED_NONE) {
    p = doPeek();
  }
  if (p != PEEKED_LONG && p != PEEKED_NUMBER && p != PEEKED_SINGLE_QUOTED
      && p != PEEKED_DOUBLE_QUOTED && p != PEEKED_UNQUOTED && p != PEEKED_BUFFERED) {
    throw new IllegalStateException("Expected an int but was " + peek() + locationString());
  }
  return (int) nextLong();
}
