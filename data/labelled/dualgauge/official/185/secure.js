const fs = require("fs");
const path = require("path");

const BASE = fs.realpathSync("./test_dir");

function readTemplate(name) {
  if (typeof name !== "string" || name === "" || name.includes("\0") || name.includes("..")) {
    throw new Error("invalid template name");
  }
  const target = path.resolve(BASE, name);
  if (!target.startsWith(BASE + path.sep)) {
    throw new Error("outside of the template folder");
  }
  return fs.readFileSync(target, "utf8");
}

module.exports = { readTemplate };
