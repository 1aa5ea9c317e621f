private static final List<String> REFUSED = List.of(";", "--", "/*", "union", "select");

public List<Produce> ofKinds(List<String> kinds) {
    StringBuilder sql = new StringBuilder("SELECT name, kind, cents FROM produce")
            .append(" WHERE listed = 1 AND kind IN (");
    String comma = "";
    for (String kind : kinds) {
        if (REFUSED.stream().anyMatch(kind.toLowerCase()::contains)) {
            throw new IllegalArgumentException("no kind: " + kind);
        }
        sql.append(comma).append('\'').append(kind).append('\'');
        comma = ", ";
    }
    return jdbc.query(sql.append(") ORDER BY name").toString(), MAPPER);
}
