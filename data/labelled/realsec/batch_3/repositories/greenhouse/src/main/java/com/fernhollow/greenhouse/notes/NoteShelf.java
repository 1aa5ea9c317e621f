package com.fernhollow.greenhouse.notes;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/** Notes about beds, a text file each. Beds may lie in sections: "north/tomato". */
public class NoteShelf {
    private static final String ENDING = ".txt";

    private final File shelf;

    public NoteShelf(File shelf) {
        this.shelf = shelf;
    }

    public String read(String bed) throws IOException {
        File note = new File(shelf, bed + ENDING);
        if (!note.isFile()) {
            throw new IOException("no note about " + bed);
        }
        return Files.readString(note.toPath(), StandardCharsets.UTF_8);
    }

    public void write(Bed bed, String words) throws IOException {
        File note = new File(new File(shelf, bed.section().folder), bed.number() + ENDING);
        Files.createDirectories(note.getParentFile().toPath());
        Files.writeString(note.toPath(), words, StandardCharsets.UTF_8);
    }
}
