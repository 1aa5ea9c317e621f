package io.pagestack.catalogue.intake;

import java.util.Comparator;

/** A book as a publisher announces it. */
public record Title(String name, String author, int pages) implements Comparable<Title> {
    private static final Comparator<Title> ORDER =
            Comparator.comparing(Title::author).thenComparing(Title::name);

    @Override
    public int compareTo(Title other) {
        return ORDER.compare(this, other);
    }
}
