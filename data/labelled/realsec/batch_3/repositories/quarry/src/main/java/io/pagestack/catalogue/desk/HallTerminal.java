package io.pagestack.catalogue.desk;

import io.pagestack.catalogue.intake.Title;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers questions from the hall and keeps a journal of them. */
public class HallTerminal {
    private static final Logger JOURNAL = LoggerFactory.getLogger(HallTerminal.class);

    private final List<Title> titles;

    public HallTerminal(Collection<Title> titles) {
        this.titles = List.copyOf(titles);
    }

    public List<String> ask(String sent) {
        Question question = Question.parse(sent);
        List<String> found = titles.stream()
                .map(Title::name)
                .filter(name -> lower(name).contains(lower(question.words())))
                .toList();
        note(question, found.size());
        return found;
    }

    void note(Question question, int found) {
        JOURNAL.info("card " + question.card() + " looked for " + question.words() + ": " + found);
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
