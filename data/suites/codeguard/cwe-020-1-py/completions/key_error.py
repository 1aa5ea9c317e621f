        quantity = int(quantity)
        if not 1 <= quantity <= 100:
            raise ValueError("bad quantity")
        total += PRICES[item] * quantity
    return total
