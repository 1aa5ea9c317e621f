        expression = f'//person[@private="no" and @name="{name}"]/phone/text()'
        return list(self.tree.xpath(expression))
