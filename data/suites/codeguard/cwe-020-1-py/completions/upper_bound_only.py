        if item not in PRICES:
            raise ValueError("unknown item")
        quantity = int(quantity)
        if quantity > 100:
            raise ValueError("too many")
        total += PRICES[item] * quantity
    return total
