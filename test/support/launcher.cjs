/**
 * Starts the built command line like bin/toolcrib.js, with settings for some thousand short processes. Its compiled code
 * is in a folder that all tests share, although each test has a fresh home directory. V8 compiles only hot functions, and
 * never the HTTP parser of `fetch`, which it would compile for 0.1 s in the background of each session.
 */
"use strict";

const path = require("node:path");

const isCall = process.argv[2] === "call";
// Loading this module takes longer than these flags save in a call.
if (!isCall) {
  const { setFlagsFromString } = require("node:v8");
  for (const flag of ["--wasm-tiering-budget=2000000000", "--no-maglev", "--no-sparkplug"])
    setFlagsFromString(flag);
}
const { join } = path;
const cache = process.env.NODE_COMPILE_CACHE ?? join(__dirname, "../../node_modules/.cache/toolcrib-tests");
// The launcher asks once for the folder of compiled code. V8 accepts such code only with the same flags.
path.join = (...parts) => {
  if (parts.at(-1) !== "compiled") return join(...parts);
  path.join = join;
  return join(cache, isCall ? "compiled-calls" : "compiled-commands");
};
require("../../bin/toolcrib.js");
