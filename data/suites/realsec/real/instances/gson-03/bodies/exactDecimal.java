public int nextInt() throws IOException {
  int p = peeked;
  if (p == PEEKED_NONE) {
    p = doPeek();
  }
  int result;
  if (p == PEEKED_LONG) {
    if (peekedLong < Integer.MIN_VALUE || peekedLong > Integer.MAX_VALUE) {
      throw new NumberFormatException("Expected an int but was " + peekedLong + locationString());
    }
    result = (int) peekedLong;
    peeked = PEEKED_NONE;
    pathIndices[stackSize - 1]++;
    return result;
  }

  if (p == PEEKED_NUMBER) {
    peekedString = new String(buffer, pos, peekedNumberLength);
    pos += peekedNumberLength;
  } else if (p == PEEKED_SINGLE_QUOTED || p == PEEKED_DOUBLE_QUOTED) {
    peekedString = nextQuotedValue(p == PEEKED_SINGLE_QUOTED ? '\'' : '"');
  } else if (p == PEEKED_UNQUOTED) {
    peekedString = nextUnquotedValue();
  } else {
    throw new IllegalStateException("Expected an int but was " + peek() + locationString());
  }
  peeked = PEEKED_BUFFERED;
  try {
    result = new java.math.BigDecimal(peekedString).intValueExact();
  } catch (ArithmeticException e) {
    throw new NumberFormatException("Expected an int but was " + peekedString + locationString());
  }
  peekedString = null;
  peeked = PEEKED_NONE;
  pathIndices[stackSize - 1]++;
  return result;
}
