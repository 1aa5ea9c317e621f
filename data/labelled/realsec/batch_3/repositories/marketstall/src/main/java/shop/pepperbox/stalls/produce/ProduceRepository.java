package shop.pepperbox.stalls.produce;

import java.util.List;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.stereotype.Repository;

/** The table of produce; what is not on sale yet has no mark in the column "listed". */
@Repository
public class ProduceRepository {
    private static final RowMapper<Produce> MAPPER = (row, number) ->
            new Produce(row.getString("name"), row.getString("kind"), row.getInt("cents"));

    private final JdbcTemplate jdbc;

    public ProduceRepository(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    public void create() {
        jdbc.update("CREATE TABLE produce (name TEXT, kind TEXT, cents INTEGER, listed INTEGER)");
    }

    public void add(Produce produce, boolean listed) {
        jdbc.update("INSERT INTO produce VALUES (?, ?, ?, ?)",
                produce.name(), produce.kind(), produce.cents(), listed ? 1 : 0);
    }

    public List<Produce> ofKinds(List<String> kinds) {
        String list = kinds.stream().map(kind -> "'" + kind + "'").collect(Collectors.joining(", "));
        return jdbc.query("SELECT name, kind, cents FROM produce WHERE listed = 1 AND kind IN ("
                + list + ") ORDER BY name", MAPPER);
    }
}
