        pieces = name.split("'")
        literal = "concat('" + "', \"'\", '".join(pieces) + "', '')"
        query = f"/staff/person[not(@private='yes')][@name={literal}]/phone"
        return [element.text for element in self.tree.xpath(query)]
