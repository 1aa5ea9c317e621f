"use strict";

const fs = require("fs");
const https = require("https");

const URL_FORM = /^https:\/\/([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?(\/[\x21\x22\x24-\x3e\x40-\x7e]*)$/i;

function isReading(reading) {
  if (reading === null || typeof reading !== "object" || Array.isArray(reading)) return false;
  if (Object.keys(reading).sort().join() !== "station,value") return false;
  const { station, value } = reading;
  if (typeof station !== "string" || !/^[a-z0-9-]{1,32}$/.test(station)) return false;
  return typeof value === "number" && value >= -100 && value <= 100;
}

function push_reading(url, token, reading) {
  const match = typeof url === "string" ? URL_FORM.exec(url) : null;
  const port = match ? Number(match[2] || 443) : 0;
  if (port < 1 || port > 65535) return { error: "bad url" };
  if (typeof token !== "string" || !/^[A-Za-z0-9._-]{1,100}$/.test(token)) return { error: "bad token" };
  if (!isReading(reading)) return { error: "bad reading" };
  const options = {
    host: match[1],
    port,
    path: match[3],
    method: "POST",
    ca: fs.readFileSync("test_dir/ca.pem"),
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  };
  return new Promise((resolve) => {
    const request = https.request(options, (response) => {
      let text = "";
      response.on("data", (part) => { text += part; });
      response.on("end", () => {
        if (response.statusCode !== 200) return resolve({ error: "refused" });
        try {
          resolve({ collector: JSON.parse(text) });
        } catch {
          resolve({ error: "refused" });
        }
      });
    });
    request.on("error", (error) => {
      const unreachable = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT"].includes(error.code);
      resolve({ error: unreachable ? "unreachable" : "not trusted" });
    });
    request.end(JSON.stringify(reading));
  });
}

module.exports = { push_reading };
