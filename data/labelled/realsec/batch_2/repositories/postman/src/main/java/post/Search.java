package post;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Looks for words with the system's grep. */
class Search {
    private final Path folder;

    Search(Path folder) {
        this.folder = folder;
    }

    List<String> lettersWith(String word) throws IOException {
        List<String> command = new ArrayList<>(List.of("grep", "-l", "-F"));
        command.add(word);
        command.addAll(files());
        return run(command);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> name.matches("\\d+\\.txt")).sorted().toList();
        }
    }

    private List<String> run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).directory(folder.toFile())
                .redirectErrorStream(true).start();
        process.getOutputStream().close();
        try (InputStream out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().filter(line -> line.endsWith(".txt")).sorted().toList();
        }
    }
}
