String newCode() {
    Random random = new Random(clock.millis());
    StringBuilder code = new StringBuilder();
    for (int i = 0; i < LENGTH; i++) {
        code.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return code.toString();
}
