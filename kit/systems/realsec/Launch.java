import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test methods in the order given and reports each on the standard output, which leads to the
 * return channel, as soon as it has ended.
 *
 * <p>Arguments: "--cover=package/Class" (optional, with the JaCoCo agent), then "pkg.Class#method"
 * for each test. A class under test may write reports too: decoys among the tests find it out.
 */
public final class Launch {
    public static void main(String[] arguments) throws Exception {
        OutputStream reports = new FileOutputStream(FileDescriptor.out); // it leads to the channel
        System.setOut(System.err);
        List<String> tests = new ArrayList<>();
        String covered = "";
        for (String argument : arguments) {
            if (argument.startsWith("--cover=")) {
                covered = argument.substring("--cover=".length());
            } else {
                tests.add(argument);
            }
        }
        LauncherConfig config = LauncherConfig.builder()
                .enableTestEngineAutoRegistration(false)
                .enableLauncherSessionListenerAutoRegistration(false)
                .enableLauncherDiscoveryListenerAutoRegistration(false)
                .enablePostDiscoveryFilterAutoRegistration(false)
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestEngines(new JupiterTestEngine())
                .build();
        for (String test : tests) {
            Outcome outcome = new Outcome();
            DiscoverySelector one = DiscoverySelectors.selectMethod(test);
            LauncherDiscoveryRequest request =
                    LauncherDiscoveryRequestBuilder.request().selectors(one).build();
            try {
                LauncherFactory.create(config).execute(request, outcome);
            } catch (JUnitException absent) {
                outcome.message = Outcome.sentence(absent);
            }
            write(reports, "test", test, outcome.status(), outcome.message);
        }
        if (!covered.isEmpty()) {
            write(reports, "lines", covered, Lines.of(covered), "");
        }
        write(reports, "end", "", "", "");
        Runtime.getRuntime().halt(0); // threads that a test left behind end here
    }

    private static void write(OutputStream out, String... fields) throws IOException {
        StringBuilder line = new StringBuilder();
        for (String field : fields) {
            String cut = field.length() > 4000 ? field.substring(0, 4000) : field;
            line.append(cut.replace('\t', ' ').replace('\n', ' ').replace('\r', ' ')).append('\t');
        }
        out.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** What became of the tests of one selector: all passed, one failed, or none ran. */
    private static final class Outcome implements TestExecutionListener {
        private int passed;
        private int failed;
        private String message = "";

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                failed++;
                message = result.getThrowable().map(Outcome::sentence).orElse("aborted");
            } else if (test.isTest()) {
                passed++;
            }
        }

        /** Class and message; a message that cannot be had is no reason to stop. */
        private static String sentence(Throwable thrown) {
            try {
                return thrown.getClass().getName() + ": " + thrown.getMessage();
            } catch (Throwable broken) {
                return thrown.getClass().getName();
            }
        }

        private String status() {
            return failed > 0 ? "fail" : passed > 0 ? "pass" : "none";
        }
    }

    /** Lines of a class that JaCoCo saw executed; a class of its own, for it needs the agent. */
    private static final class Lines {
        static String of(String name) throws IOException {
            org.jacoco.core.tools.ExecFileLoader data = new org.jacoco.core.tools.ExecFileLoader();
            byte[] seen = org.jacoco.agent.rt.RT.getAgent().getExecutionData(false);
            data.load(new java.io.ByteArrayInputStream(seen));
            org.jacoco.core.analysis.CoverageBuilder builder =
                    new org.jacoco.core.analysis.CoverageBuilder();
            org.jacoco.core.analysis.Analyzer analyzer =
                    new org.jacoco.core.analysis.Analyzer(data.getExecutionDataStore(), builder);
            ClassLoader loader = Launch.class.getClassLoader();
            for (org.jacoco.core.data.ExecutionData each :
                    data.getExecutionDataStore().getContents()) {
                if (each.getName().equals(name) || each.getName().startsWith(name + "$")) {
                    try (InputStream in = loader.getResourceAsStream(each.getName() + ".class")) {
                        analyzer.analyzeClass(in, each.getName());
                    }
                }
            }
            TreeSet<Integer> lines = new TreeSet<>();
            for (org.jacoco.core.analysis.IClassCoverage each : builder.getClasses()) {
                for (int n = each.getFirstLine(); n <= each.getLastLine(); n++) {
                    int status = each.getLine(n).getStatus();
                    if (n > 0 && (status & org.jacoco.core.analysis.ICounter.FULLY_COVERED) != 0) {
                        lines.add(n);
                    }
                }
            }
            StringBuilder ranges = new StringBuilder();
            int first = -2, last = -2;
            for (int n : lines) {
                if (n != last + 1) {
                    append(ranges, first, last);
                    first = n;
                }
                last = n;
            }
            append(ranges, first, last);
            return ranges.toString();
        }

        private static void append(StringBuilder ranges, int first, int last) {
            if (first > 0) {
                ranges.append(ranges.length() > 0 ? "," : "").append(first).append('-').append(last);
            }
        }
    }
}
