package bot;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reads messages and answers commands. */
public class Bot {
    private final Map<String, Command> commands = new HashMap<>();
    private final Audit audit = new Audit();

    public Bot() {
        WordCount words = new WordCount();
        Quotes quotes = new Quotes();
        commands.put("count", rest -> words.count(rest) + " words");
        commands.put("quote", rest -> quotes.add(rest) ? "noted" : "put it in quotes");
        commands.put("help", rest -> "count, quote, help");
    }

    public Optional<String> read(Message message) throws IOException {
        if (!message.isCommand()) {
            return Optional.empty();
        }
        audit.command(message);
        Command command = commands.get(message.command());
        return Optional.of(command == null ? "unknown command" : command.answer(message.rest()));
    }
}
