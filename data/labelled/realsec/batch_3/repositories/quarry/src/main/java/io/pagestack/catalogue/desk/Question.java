package io.pagestack.catalogue.desk;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** What a reader asked for, as the terminal in the hall sends it: "card=12&words=...". */
public record Question(String card, String words) {
    public static Question parse(String sent) {
        Map<String, String> parts = Arrays.stream(sent.split("&"))
                .map(part -> part.split("=", 2))
                .filter(part -> part.length == 2)
                .collect(Collectors.toMap(part -> part[0], part -> part[1], (a, b) -> a));
        return new Question(parts.getOrDefault("card", "-"), parts.getOrDefault("words", ""));
    }
}
