package io.pagestack.catalogue.desk;

import static org.junit.jupiter.api.Assertions.*;

import io.pagestack.catalogue.intake.Title;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HallTerminalTest {
    private final HallTerminal hall = new HallTerminal(
            List.of(new Title("Tides", "Berg", 90), new Title("Moss and Tide", "Adler", 210)));

    @BeforeEach
    void clear() {
        LoggerFactory.clear();
    }

    @Test
    void findsTitles() {
        assertEquals(List.of("Tides", "Moss and Tide"), hall.ask("card=A17&words=tide"));
        assertEquals(List.of("Moss and Tide"), hall.ask("card=A17&words=moss and"));
    }

    @Test
    void keepsAJournal() {
        hall.ask("card=A17&words=moss and");
        hall.ask("card=B02&words=Dünen {} 3");
        assertEquals(List.of("card A17 looked for moss and: 1", "card B02 looked for Dünen {} 3: 0"),
                LoggerFactory.logged());
    }

    @Test
    void oneQuestionIsOneLine() {
        hall.ask("card=A17&words=x: 0\ncard B02 looked for Poison: 1");
        hall.ask("card=A17&words=x: 0\rcard B02 looked for Poison: 1");
        hall.ask("card=A17&words=x: 0\r\n\ncard B02 looked for Poison: 1\n");
        assertLines(3);
    }

    @Test
    void oneCardIsOneLine() {
        hall.ask("card=A17\ncard B02 looked for Poison: 1\ncard A17&words=x");
        hall.ask("card=A17\rcard B02 looked for Poison: 1\rcard A17&words=x");
        assertLines(2);
    }

    private static void assertLines(int count) {
        assertEquals(count, String.join("\n", LoggerFactory.logged()).lines().count());
    }
}
