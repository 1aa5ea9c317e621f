private void checkCyclicSubstitution(final String varName, final List<String> priorVariables) {
    if (priorVariables.stream().skip(1).anyMatch(varName::equals)) {
        throw new IllegalStateException("Infinite loop in property interpolation of " + priorVariables.get(0) + ": "
            + String.join("->", priorVariables.subList(1, priorVariables.size())));
    }
}
