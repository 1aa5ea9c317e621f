package people.model;

public record Person(long id, String name, String city) {
}
