void add(int earned) {
    int sum = Math.addExact((int) points, earned);
    if (sum != (short) sum) {
        throw new IllegalStateException("the account is full");
    }
    points = (short) sum;
}
