    clean = "".join(c if c.isprintable() else "?" for c in name)
    with open(LOG, "a", encoding="utf-8") as file:
        file.write(f"{int(time.time())} FAILED {clean} {address}\n")
