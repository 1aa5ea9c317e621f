        if item not in PRICES:
            raise ValueError("unknown item")
        amount = float(quantity)
        if amount <= 0 or amount > 100:
            raise ValueError("quantity out of range")
        total += PRICES[item] * amount
    return int(total)
