import java.util.Comparator;

public List<Produce> ofKinds(List<String> kinds) {
    return kinds.stream()
            .distinct()
            .flatMap(kind -> jdbc.query(
                    "SELECT name, kind, cents FROM produce WHERE listed = 1 AND kind = ?", MAPPER, kind)
                    .stream())
            .sorted(Comparator.comparing(Produce::name))
            .toList();
}
