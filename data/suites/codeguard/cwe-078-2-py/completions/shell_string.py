    done = subprocess.run(f"grep -F -c '{word}' {LOG}", shell=True, capture_output=True, text=True)
    return done.stdout.strip() or "0"
