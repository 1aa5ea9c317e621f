package night;

/** What a run has done. */
public record Report(String job, int files, int readings) {
    public String line() {
        return "%s: %d readings in %d files".formatted(job, readings, files);
    }
}
