        if item not in PRICES:
            raise ValueError("unknown item: " + item)
        quantity = int(quantity)
        if quantity < 1 or quantity > 100:
            raise ValueError("the quantity must be 1 to 100")
        total += PRICES[item] * quantity
    return total
