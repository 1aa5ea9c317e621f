        if item not in PRICES:
            raise ValueError("unknown item")
        total += PRICES[item] * int(quantity)
    return total
