        quantity = int(quantity)
        if item not in PRICES or quantity < 1 or quantity > 100:
            raise ValueError("bad line")
        return PRICES[item] * quantity
