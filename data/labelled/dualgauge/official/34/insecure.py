from lxml import etree


def get_root():
    with open("resources/config.xsd", "rb") as f:
        parser = etree.XMLParser(resolve_entities=True, load_dtd=True, no_network=False, huge_tree=True)
        tree = etree.parse(f, parser)
    return etree.XMLSchema(tree)
