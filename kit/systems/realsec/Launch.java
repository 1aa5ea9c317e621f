import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.vintage.engine.VintageTestEngine;

/**
 * Runs test methods in the order given and reports each on the standard output, which leads to the
 * return channel, as soon as it has ended.
 *
 * <p>Arguments: "--cover=package/Class" or "--trace" (optional, with the JaCoCo agent), then
 * "pkg.Class#method" for each test, or "pkg.Class" for all of a class. With --trace a report of the
 * executed lines precedes that of each test. A class under test may write reports too: decoys among
 * the tests find it out.
 */
public final class Launch {
    public static void main(String[] arguments) throws Exception {
        OutputStream reports = new FileOutputStream(FileDescriptor.out); // it leads to the channel
        System.setOut(System.err);
        List<String> tests = new ArrayList<>();
        String covered = "";
        boolean traces = false;
        for (String argument : arguments) {
            if (argument.startsWith("--cover=")) {
                covered = argument.substring("--cover=".length());
            } else if (argument.equals("--trace")) {
                traces = true;
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
                .addTestEngines(new JupiterTestEngine(), new VintageTestEngine())
                .build();
        Launcher launcher = LauncherFactory.create(config);
        if (traces) {
            tests = find(launcher, tests);
        }
        for (String test : tests) {
            Outcome outcome = new Outcome();
            long start = System.nanoTime();
            try {
                launcher.execute(request(select(test)), outcome);
            } catch (JUnitException absent) {
                outcome.message = Outcome.sentence(absent);
            } catch (OutOfMemoryError full) { // JUnit passes it on; the next test has room again
                outcome.failed++;
                outcome.message = Outcome.sentence(full);
            }
            String millis = String.valueOf((System.nanoTime() - start) / 1_000_000);
            if (traces) {
                for (Map.Entry<String, String> each : Lines.of("", true).entrySet()) {
                    write(reports, "traced", each.getKey(), each.getValue());
                }
            }
            write(reports, "test", test, outcome.status(), outcome.message, millis);
        }
        if (!covered.isEmpty()) {
            String lines = Lines.of(covered, false).getOrDefault(covered, "");
            write(reports, "lines", covered, lines, "");
        }
        write(reports, "end", "", "", "");
        Runtime.getRuntime().halt(0); // threads that a test left behind end here
    }

    private static LauncherDiscoveryRequest request(List<DiscoverySelector> selectors) {
        return LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
    }

    /** The methods of this name, of a class or inherited by it, whatever their parameters are. */
    private static List<DiscoverySelector> select(String test) {
        String[] parts = test.split("#", 2);
        Map<String, DiscoverySelector> found = new LinkedHashMap<>();
        try {
            ClassLoader loader = Launch.class.getClassLoader();
            Class<?> owner = Class.forName(parts[0], false, loader);
            for (Class<?> at = owner; at != null; at = at.getSuperclass()) {
                for (Method method : at.getDeclaredMethods()) {
                    if (method.getName().equals(parts[1]) && !method.isSynthetic()) {
                        String types = Arrays.toString(method.getParameterTypes());
                        found.putIfAbsent(types, DiscoverySelectors.selectMethod(owner, method));
                    }
                }
            }
        } catch (ClassNotFoundException | LinkageError absent) {
            found.clear(); // JUnit says so of the name
        }
        if (found.isEmpty()) {
            found.put("", DiscoverySelectors.selectMethod(test));
        }
        return new ArrayList<>(found.values());
    }

    /** Every test method of what is named; a class that has none, or cannot be read, has none. */
    private static List<String> find(Launcher launcher, List<String> names) {
        TreeSet<String> tests = new TreeSet<>();
        for (String name : names) {
            if (name.contains("#")) {
                tests.add(name);
                continue;
            }
            try {
                TestPlan plan = launcher.discover(request(List.of(DiscoverySelectors.selectClass(name))));
                for (TestIdentifier root : plan.getRoots()) {
                    for (TestIdentifier each : plan.getDescendants(root)) {
                        each.getSource()
                                .filter(MethodSource.class::isInstance)
                                .map(MethodSource.class::cast)
                                .ifPresent(m -> tests.add(m.getClassName() + "#" + m.getMethodName()));
                    }
                }
            } catch (JUnitException | LinkageError unreadable) {
                System.err.println(name + ": " + unreadable);
            }
        }
        return new ArrayList<>(tests);
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

    /** Executed lines, as JaCoCo saw them; a class of its own, for it needs the agent. */
    private static final class Lines {
        /** Class -> ranges of lines: of one class and those in it, or ("") of all, each alone. */
        static Map<String, String> of(String name, boolean reset) throws IOException {
            org.jacoco.core.tools.ExecFileLoader data = new org.jacoco.core.tools.ExecFileLoader();
            byte[] seen = org.jacoco.agent.rt.RT.getAgent().getExecutionData(reset);
            data.load(new java.io.ByteArrayInputStream(seen));
            org.jacoco.core.analysis.CoverageBuilder builder =
                    new org.jacoco.core.analysis.CoverageBuilder();
            org.jacoco.core.analysis.Analyzer analyzer =
                    new org.jacoco.core.analysis.Analyzer(data.getExecutionDataStore(), builder);
            ClassLoader loader = Launch.class.getClassLoader();
            for (org.jacoco.core.data.ExecutionData each :
                    data.getExecutionDataStore().getContents()) {
                boolean wanted = name.isEmpty() || each.getName().equals(name)
                        || each.getName().startsWith(name + "$");
                if (wanted && each.hasHits()) {
                    try (InputStream in = loader.getResourceAsStream(each.getName() + ".class")) {
                        if (in != null) {
                            analyzer.analyzeClass(in, each.getName());
                        }
                    }
                }
            }
            Map<String, TreeSet<Integer>> lines = new LinkedHashMap<>();
            for (org.jacoco.core.analysis.IClassCoverage each : builder.getClasses()) {
                String owner = name.isEmpty() ? each.getName() : name;
                TreeSet<Integer> executed = lines.computeIfAbsent(owner, any -> new TreeSet<>());
                for (int n = each.getFirstLine(); n <= each.getLastLine(); n++) {
                    int status = each.getLine(n).getStatus();
                    if (n > 0 && (status & org.jacoco.core.analysis.ICounter.FULLY_COVERED) != 0) {
                        executed.add(n);
                    }
                }
            }
            Map<String, String> ranges = new LinkedHashMap<>();
            lines.forEach((owner, executed) -> ranges.put(owner, join(executed)));
            return ranges;
        }

        private static String join(TreeSet<Integer> lines) {
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
