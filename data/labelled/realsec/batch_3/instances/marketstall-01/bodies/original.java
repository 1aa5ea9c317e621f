public List<Produce> ofKinds(List<String> kinds) {
    String list = kinds.stream().map(kind -> "'" + kind + "'").collect(Collectors.joining(", "));
    return jdbc.query("SELECT name, kind, cents FROM produce WHERE listed = 1 AND kind IN ("
            + list + ") ORDER BY name", MAPPER);
}
