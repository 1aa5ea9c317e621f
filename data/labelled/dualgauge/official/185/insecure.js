const fs = require("fs");

function readTemplate(name) {
  return fs.readFileSync("./test_dir/" + name, "utf8");
}

module.exports = { readTemplate };
