    result = subprocess.run(
        f'date -u -d "{text}" +%s', shell=True, capture_output=True, text=True
    )
    if result.returncode != 0:
        raise ValueError(f"Invalid date: {text}")
    return int(result.stdout.strip())
