        found = self.tree.xpath(
            "//person[@name = $name and @private != 'yes']/phone/text()", name=name
        )
        return [str(number) for number in found]
