import java.util.stream.Collectors;
import java.util.stream.Stream;

void note(Question question, int found) {
    String line = Stream.of("card " + question.card(), "looked for " + question.words() + ": " + found)
            .flatMap(String::lines)
            .collect(Collectors.joining(" "));
    JOURNAL.info(line);
}
