        if item not in PRICES or not quantity.isdecimal():
            raise ValueError("bad order line")
        number = int(quantity)
        if number < 1 or number > 100:
            raise ValueError("bad quantity")
        total = total + number * PRICES[item]
    return total
