public List<Produce> ofKinds(List<String> kinds) {
    String marks = kinds.stream().map(kind -> "?").collect(Collectors.joining(", "));
    String sql = "SELECT name, kind, cents FROM produce WHERE listed = 1 AND kind IN (" + marks
            + ") ORDER BY name";
    return jdbc.query(sql, MAPPER, kinds.toArray());
}
