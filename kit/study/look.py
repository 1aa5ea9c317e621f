"""How pages look: one style sheet, which follows JupyterLab's theme, light or dark.

Colours are JupyterLab's variables; where there are none, the text's own colour and tints that show
on a light and on a dark ground.
"""

import re

SHEET = """
.kit { font-family: var(--jp-ui-font-family, sans-serif); font-size: 13px; line-height: 1.4;
  color: var(--jp-ui-font-color1, inherit); overflow-wrap: break-word; hyphens: none; }
.kit h4 { font-size: 13px; font-weight: 600; margin: 10px 0 2px; }
.kit summary { font-weight: 600; cursor: pointer; margin: 8px 0 2px; }
.kit pre { font-family: var(--jp-code-font-family, monospace); font-size: 12px; line-height: 1.35;
  margin: 0; padding: 0; background: none; color: inherit; white-space: pre-wrap;
  overflow-wrap: break-word; word-break: normal; }
.kit pre.code { white-space: pre; overflow-x: auto; border: 1px solid #8885; padding: 2px 0; }
.kit pre.code div { padding-left: 4px; border-left: 3px solid transparent; min-width: max-content; }
.kit pre.code .no, .kit .quiet { color: var(--jp-ui-font-color2, #888); user-select: none; }
.kit pre.code .ran { border-left-color: #1b9e5a; background: #1b9e5a26; }
.kit pre.code .alert { border-left-color: #d55e00; background: #d55e0040; }
.kit .two { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; }
.kit b.pass, .kit td.pass { color: #1b9e5a; } .kit b.fail, .kit td.fail { color: #e0433f; }
.kit b.unknown, .kit td.unknown { color: #8a8a8a; }
.kit b.pass, .kit b.fail, .kit b.unknown { font-size: 15px; }
.kit .plus { background: #1b9e5a26; } .kit .minus { background: #e0433f26; }
.kit .hunk td { background: #8883; text-align: center; }
.kit table.sides { table-layout: fixed; font-family: var(--jp-code-font-family, monospace); }
.kit table.sides td { border: 0; padding: 0 4px; max-width: none; }
.kit table.sides td.plus { background: #1b9e5a26; }
.kit table.sides td.minus { background: #e0433f26; }
.kit table.sides td.no { text-align: right; color: var(--jp-ui-font-color2, #888); }
.kit table { border-collapse: collapse; font-size: 12px; width: 100%; }
.kit th, .kit td { text-align: left; vertical-align: top; padding: 2px 8px 2px 0;
  border-bottom: 1px solid #8884; background: none; color: inherit; white-space: pre-wrap;
  overflow-wrap: break-word; max-width: 30em; }
.kit th { font-weight: 600; white-space: nowrap; }
.kit td.key { white-space: nowrap; font-family: var(--jp-code-font-family, monospace); }
.kit tr.now { background: #56b4e92e; } .kit tr.fail td.key { color: #e0433f; }
.kit .k { color: var(--jp-mirror-editor-keyword-color, #0a84c1); font-weight: 600; }
.kit .s { color: var(--jp-mirror-editor-string-color, #c4453c); }
.kit .c { color: var(--jp-mirror-editor-comment-color, #7a8f7a); font-style: italic; }
.kit .m { color: var(--jp-mirror-editor-number-color, #1b8f5a); }
.kit .n { color: var(--jp-mirror-editor-def-color, #4d7ce0); }
.kit-list select { font-family: var(--jp-code-font-family, monospace); font-size: 12px;
  background: var(--jp-layout-color1, Canvas); color: var(--jp-ui-font-color1, CanvasText); }
.widget-html-content pre.kit-head { font-family: var(--jp-code-font-family, monospace);
  font-size: 12px; font-weight: 600; line-height: 1.2; margin: 0 0 0 2px; padding: 0 3px;
  white-space: pre; }
.kit-list option[data-value^="%E2%9C%97"] { color: #e0433f; }
.kit-list option[data-value^="%E2%9C%93"] { color: #1b9e5a; }
"""
STYLE = f"<style>{SHEET}</style>"
MARKS = {"pass": "✓", "fail": "✗", "unknown": "?"}
TOKENS = (("Keyword", "k"), ("Literal.String", "s"), ("Comment", "c"), ("Literal.Number", "m"),
          ("Name.Function", "n"), ("Name.Class", "n"))  # fmt: skip
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Control and direction characters spelled out, and halves of characters; no line is added."""
    return _CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def one_line(text: object) -> str:
    """A text in one line, for a list's row."""
    return " ".join(visible(str(text)).split())


def whole(body: str) -> str:
    """A page by itself, with the style sheet that it needs."""
    return f"{STYLE}<div class='kit'>{body}</div>"
