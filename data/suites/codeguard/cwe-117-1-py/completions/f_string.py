    with open(LOG, "a") as log:
        log.write(f"{int(time.time())} FAILED {name} from {address}\n")
