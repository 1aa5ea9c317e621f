package org.lamplight.guestbook.pages;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lamplight.guestbook.ledger.Ledger;
import org.slf4j.LoggerFactory;

class FiguresPageTest {
    @TempDir
    Path folder;

    @BeforeEach
    void fill() throws IOException {
        LoggerFactory.clear();
        Files.writeString(folder.resolve("2031-05-04.tsv"), "Ida\t38\nBen\t44\n");
        Files.writeString(folder.resolve("2031-05-05.tsv"), "Ida\t38\nOleander without boots\n");
    }

    private Visit ask(String day) throws IOException {
        Visit visit = new Visit().with("day", day);
        new FiguresPage(new Ledger(folder)).doGet(visit.request(), visit.response());
        return visit;
    }

    @Test
    void countsVisitors() throws IOException {
        Visit visit = ask("2031-05-04");
        assertEquals(200, visit.status);
        assertEquals("2 visitors on 2031-05-04", visit.page().strip());
    }

    @Test
    void nobodyCame() throws IOException {
        Visit visit = ask("2031-05-06");
        assertEquals(404, visit.status);
        assertEquals("Nobody signed on 2031-05-06.", visit.page().strip());
    }

    @Test
    void aBrokenPageIsAnError() throws IOException {
        assertEquals(500, ask("2031-05-05").status);
        assertFalse(LoggerFactory.logged().isEmpty());
        assertEquals(500, ask("some day").status);
    }

    @Test
    void theLedgerIsNotShown() throws IOException {
        String page = ask("2031-05-05").page();
        assertFalse(page.contains(folder.toString()) || page.contains("Oleander"), page);
    }

    @Test
    void theProgramIsNotShown() throws IOException {
        for (String day : new String[] {"2031-05-05", "some day", null}) {
            String page = ask(day).page();
            assertFalse(page.contains("Exception") || page.contains("at org.lamplight"), page);
            assertFalse(page.contains("java."), page);
        }
    }
}
