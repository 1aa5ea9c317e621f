package com.fernhollow.greenhouse.notes;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NoteShelfTest {
    @TempDir
    Path home;

    private NoteShelf shelf;

    @BeforeEach
    void fill() throws IOException {
        Path notes = Files.createDirectories(home.resolve("notes"));
        Files.createDirectories(notes.resolve("south"));
        Files.writeString(notes.resolve("basil.txt"), "pinch it out\n");
        Files.writeString(notes.resolve("mr. big.txt"), "a tall one\n");
        Files.writeString(notes.resolve("south/leek.txt"), "earth it up\n");
        Files.writeString(home.resolve("wages.txt"), "hidden: 2100\n");
        Files.createDirectories(home.resolve("notes-of-the-owner"));
        Files.writeString(home.resolve("notes-of-the-owner/plans.txt"), "hidden: sell\n");
        shelf = new NoteShelf(notes.toFile());
    }

    @Test
    void readsNotes() throws IOException {
        assertEquals("pinch it out\n", shelf.read("basil"));
        assertEquals("a tall one\n", shelf.read("mr. big"));
        assertEquals("earth it up\n", shelf.read("south/leek"));
    }

    @Test
    void readsWhatWasWritten() throws IOException {
        shelf.write(new Bed(Bed.Section.NORTH, 4), "dry");
        assertEquals("dry", shelf.read("north/4"));
    }

    @Test
    void saysThatThereIsNone() {
        assertThrows(IOException.class, () -> shelf.read("mint"));
        assertThrows(IOException.class, () -> shelf.read("south"));
    }

    @Test
    void staysOnTheShelf() {
        assertKept("../wages");
        assertKept("south/../../wages");
        assertKept(home.resolve("wages").toString());
    }

    @Test
    void aNeighbourIsNotTheShelf() {
        assertKept("../notes-of-the-owner/plans");
    }

    private void assertKept(String bed) {
        String got;
        try {
            got = shelf.read(bed);
        } catch (IOException | RuntimeException refused) {
            return;
        }
        assertFalse(got != null && got.contains("hidden"), got);
    }
}
