@GetMapping("/pay/{name}")
public int pay(Caller caller, @PathVariable String name) {
    Set<String> held = new java.util.HashSet<>();
    if (caller != null) {
        caller.roles().forEach(role -> held.add("role:" + role));
        held.add("login:" + caller.login());
    }
    held.retainAll(Set.of("role:hr", "login:" + name));
    if (held.isEmpty()) {
        throw new SecurityException("not yours");
    }
    return known(name);
}
