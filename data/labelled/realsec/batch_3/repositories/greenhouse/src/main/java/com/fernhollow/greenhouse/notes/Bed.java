package com.fernhollow.greenhouse.notes;

/** A bed by its section and number. */
public record Bed(Section section, int number) {
    /** The sections of the house, each with a folder of its own. */
    public enum Section {
        NORTH("north"), SOUTH("south"), TABLES("tables");

        final String folder;

        Section(String folder) {
            this.folder = folder;
        }
    }
}
