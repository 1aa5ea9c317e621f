package cron.results;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** Answers requests, one line each. */
public class ResultDesk {
    private final Results results;

    public ResultDesk(Results results) {
        this.results = results;
    }

    public String answer(String line) {
        Request request = Request.parse(line);
        try {
            String text = results.read(request.name());
            return request.verb().equals("size") ? text.length() + " characters" : text;
        } catch (NoSuchFileException absent) {
            return "no result " + absent.getMessage();
        } catch (IOException failed) {
            return "it cannot be read now";
        }
    }
}
