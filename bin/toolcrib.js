#!/usr/bin/env node
// Starts Toolcrib. Plain old JavaScript, so that an old Node can still read it and say what is wrong.
"use strict";

var fs = require("fs");
var path = require("path");

var root = path.join(__dirname, "..");
var versions = process.versions;
var version = versions.node.split(".").map(Number);
var other = versions.bun
  ? "Bun " + versions.bun
  : versions.deno
    ? "Deno " + versions.deno
    : "Node " + versions.node;
var isRecent = other.indexOf("Node") === 0 && (version[0] > 22 || (version[0] === 22 && version[1] >= 18));

if (!isRecent) runWithNewerNode();
else if (process.argv.length === 3 && process.argv[2] === "--version") {
  fs.writeSync(1, require("../package.json").version + "\n");
} else {
  var cache = compileCache();
  if (makeDirectory(cache)) require("module").enableCompileCache(cache);
  require(findProgram());
}

/** The build; in a clone that was not built, the source. */
function findProgram() {
  var built = path.join(root, "dist", "cli.cjs");
  return fs.existsSync(built) ? built : path.join(root, "src", "cli", "main.ts");
}

/** A clone brings a Node of its own; it stands beside us after `npm ci`. */
function runWithNewerNode() {
  var node;
  try {
    node = require.resolve("node/bin/node");
  } catch (_) {
    node = process.execPath;
  }
  if (node === process.execPath) {
    console.error("toolcrib needs Node 22.18 or newer; this is " + other + ".");
    console.error("Install a newer one from https://nodejs.org, or run: npx -p node@24 -p toolcrib toolcrib");
    process.exitCode = 1;
    return;
  }
  var child = require("child_process").spawn(node, process.argv.slice(1), { stdio: "inherit" });
  // The other one answers signals. A terminal's Ctrl-C reaches it twice then, which it takes for one.
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach(function (name) {
    process.on(name, function () {
      child.kill(name);
    });
  });
  child.on("error", function (error) {
    console.error("toolcrib could not start " + node + ": " + error.message);
    process.exitCode = 1;
  });
  child.on("exit", function (code, signal) {
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

/** Where Node keeps our compiled code; the same place as `toolcrib paths` names. */
function compileCache() {
  var home = process.env.TOOLCRIB_HOME;
  if (home) return path.join(home, "cache", "compiled");
  var cache = process.env.XDG_CACHE_HOME;
  if (!cache || cache[0] !== "/") cache = path.join(require("os").homedir(), ".cache");
  return path.join(cache, "toolcrib", "compiled");
}

/** Whether it is there now. Not left to Node, whose way of making folders with their parents never ends in /proc. */
function makeDirectory(directory) {
  if (fs.existsSync(directory)) return true;
  var parent = path.dirname(directory);
  if (parent === directory || !makeDirectory(parent)) return false;
  try {
    fs.mkdirSync(directory, "700");
    return true;
  } catch (_) {
    return fs.existsSync(directory);
  }
}
