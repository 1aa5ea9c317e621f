        safe = name.replace("&", "&amp;").replace("'", "&apos;").replace('"', "&quot;")
        path = "//person[@name='" + safe + "'][@private='no']/phone/text()"
        return [str(n) for n in self.tree.xpath(path)]
