package shop.pepperbox.stalls.produce;

import static org.junit.jupiter.api.Assertions.*;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.sqlite.SQLiteDataSource;

class ProduceRepositoryTest {
    private static final Produce LEEK = new Produce("leek", "green", 120);
    private static final Produce KALE = new Produce("kale", "green", 200);
    private static final Produce PEAR = new Produce("pear", "fruit", 250);
    private static final Produce RIND = new Produce("rind", "farmer's own", 90);
    private static final Produce LATE = new Produce("quince", "fruit", 300);

    @TempDir
    Path folder;

    private ProduceController controller;

    @BeforeEach
    void fill() {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + folder.resolve("hall.db"));
        ProduceRepository repository = new ProduceRepository(new JdbcTemplate(source));
        repository.create();
        for (Produce each : List.of(LEEK, KALE, PEAR, RIND)) {
            repository.add(each, true);
        }
        repository.add(LATE, false);
        controller = new ProduceController(repository);
    }

    @Test
    void listsKinds() {
        assertEquals(List.of(KALE, LEEK, PEAR), controller.list(List.of("fruit", "green")));
        assertEquals(List.of(PEAR), controller.list(List.of("fruit")));
    }

    @Test
    void listsNothingElse() {
        assertEquals(List.of(), controller.list(List.of("cheese")));
        assertEquals(List.of(), controller.list(List.of()));
        assertEquals(List.of(PEAR), controller.list(List.of("fruit", "fruit", "cheese")));
    }

    @Test
    void aConditionIsNoKind() {
        assertNothing("x') OR ('1'='1");
        assertNothing("x') OR kind IN ('fruit");
        assertNothing("\\') OR 1=1 OR name IN ('");
    }

    @Test
    void anotherQueryIsNoKind() {
        assertNothing("x') UNION SELECT name, kind, cents FROM produce WHERE listed IN (0) AND kind NOT IN ('");
        assertNothing("x') OR 1=1 --");
        assertNothing("x') OR 1=1 /*");
    }

    private void assertNothing(String kind) {
        List<Produce> got;
        try {
            got = controller.list(List.of(kind));
        } catch (RuntimeException refused) {
            return;
        }
        assertEquals(List.of(), got);
    }
}
