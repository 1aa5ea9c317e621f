package edge.gate.rules;

public enum Decision {
    OPEN,
    TOKEN
}
