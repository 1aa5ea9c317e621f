package orders.label;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import orders.model.Order;

/** The command that prints the label of an order. */
public class LabelTool {
    private final Path home;
    private final Shell shell;

    /** home: the folder in which the printer's programs were installed, an absolute path. */
    public LabelTool(Path home, Shell shell) {
        this.home = home;
        this.shell = shell;
    }

    public String print(Order order) {
        return shell.run(command(order));
    }

    List<String> command(Order order) {
        List<String> command = new ArrayList<>();
        command.add(program());
        command.add("--copies=1");
        command.add(order.number());
        return command;
    }

    String program() {
        return home.getFileName().resolve("bin").resolve("label").toString();
    }

    /** Runs a command in the folder of the day and returns what it printed. */
    public interface Shell {
        String run(List<String> command);
    }
}
