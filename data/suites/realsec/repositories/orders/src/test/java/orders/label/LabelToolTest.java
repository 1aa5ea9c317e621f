package orders.label;

import static org.junit.jupiter.api.Assertions.*;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import orders.model.Order;
import org.junit.jupiter.api.Test;

class LabelToolTest {
    private final List<List<String>> commands = new ArrayList<>();
    private final LabelTool tool = new LabelTool(Path.of("/opt/labels"), command -> {
        commands.add(command);
        return "printed";
    });

    private List<String> printed() {
        assertEquals("printed", tool.print(new Order("A-17", "mia", 100, Order.State.PAID)));
        return commands.get(commands.size() - 1);
    }

    @Test
    void printsOneLabel() {
        List<String> command = printed();
        assertEquals(List.of("--copies=1", "A-17"), command.subList(1, 3));
        assertTrue(command.get(0).endsWith("labels/bin/label"), command.get(0));
    }

    @Test
    void theProgramDoesNotDependOnTheFolderOfTheDay() {
        Path program = Path.of(printed().get(0));
        assertTrue(program.isAbsolute(), program.toString());
        assertTrue(program.normalize().startsWith("/opt/labels"), program.toString());
    }
}
