package staff;

/** Somebody who works here. */
public class Person {
    String name;
    @Editable
    String room = "";
    @Editable
    String phone = "";
    String role = "staff";
    String grade = "1";

    public Person(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    public String room() {
        return room;
    }

    public String phone() {
        return phone;
    }

    public String role() {
        return role;
    }

    public String grade() {
        return grade;
    }
}
