private void checkCyclicSubstitution(final String varName, final List<String> priorVariables) {
    final int count = priorVariables.size();
    final List<String> recent = priorVariables.subList(Math.max(0, count - 2), count);
    if (!recent.contains(varName)) {
        return;
    }
    final TextStringBuilder message = new TextStringBuilder("Infinite loop in property interpolation of ");
    message.append(priorVariables.get(0)).append(": ");
    message.appendWithSeparators(priorVariables.subList(1, count), "->");
    throw new IllegalStateException(message.toString());
}
