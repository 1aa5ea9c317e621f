package bot;

import java.io.IOException;

/** A command of the bot: what comes after its name, and what is said in the room. */
@FunctionalInterface
public interface Command {
    String answer(String rest) throws IOException;
}
