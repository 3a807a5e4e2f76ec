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
  if (!cache || !makeDirectory(cache) || !isOurs(cache, "isDirectory")) cache = undefined;
  var built = path.join(root, "dist", "cli.cjs");
  var isBuilt = fs.existsSync(built);
  // No call imports an ES module, and turning this on takes a millisecond.
  if (cache && !(isBuilt && process.argv[2] === "call")) require("module").enableCompileCache(cache);
  if (isBuilt) runBuilt(built, cache);
  else require("../src/cli/main.ts");
}

/**
 * Runs the build with a cache of compiled code that has every function which this command needs. Node's own cache is
 * made before a file runs, so it lacks the functions that are compiled on first use: half of the time to start.
 */
function runBuilt(program, cache) {
  var vm = require("vm");
  var command = process.argv.slice(2, process.argv[2] === "call" ? 4 : 3).join(" ");
  var scripts = [];
  // Compiled code that V8 made or accepted at the start, and the length of its text.
  var probe;
  load(program);
  if (cache && /^[\w. -]{1,60}$/.test(command)) process.on("exit", save);

  function load(file) {
    var known = require.cache[file];
    if (known) return known.exports;
    var module = { id: file, filename: file, exports: {} };
    var folder = path.dirname(file);
    // The build writes only ASCII, and ends each file with a hash of its content.
    var source = fs.readFileSync(file, "latin1");
    var kept = readKept(source.slice(-32));
    var script = new vm.Script(source, { filename: file, cachedData: kept.code });
    var isAccepted = script.cachedDataRejected === false;
    if (!isAccepted) kept.commands = [];
    if (!probe)
      probe = isAccepted
        ? { code: kept.code, length: source.length }
        : { code: new vm.Script("0").createCachedData(), length: 1 };
    if (kept.commands.indexOf(command) < 0) scripts.push({ script: script, kept: kept });
    require.cache[file] = module;
    try {
      script.runInThisContext()(module.exports, requireFrom, module, file, folder);
    } catch (error) {
      // A later attempt loads it again, for example when file descriptors are free.
      delete require.cache[file];
      throw error;
    }
    return module.exports;

    function requireFrom(name) {
      // It imports modules for the others, which code that was loaded this way could do only with a warning.
      if (name === "./import.cjs") return require(path.join(folder, name));
      if (name === "node:fs/promises" || name === "node:timers/promises") return onFirstUse(name);
      return /^\.\.?\//.test(name) ? load(path.join(folder, name)) : require(name);
    }
  }

  /** Most commands use none of these modules, and each takes a millisecond to load. */
  function onFirstUse(name) {
    return new Proxy(
      {},
      {
        get: function (_, key) {
          return require(name)[key];
        },
      },
    );
  }

  /**
   * The compiled code of a file, and the commands whose functions it includes, in the last line. The code is there twice,
   * because V8 does not notice every damage, and comparing is the fastest check: Node's hashes take a tenth of the start
   * to load. It is not one against forgery, because nobody else may write here.
   */
  function readKept(hash) {
    var kept = {
      file: cache && path.join(cache, process.version + "-" + process.arch + "-" + hash),
      commands: [],
    };
    try {
      if (!isOurs(kept.file, "isFile")) return kept;
      var data = fs.readFileSync(kept.file);
      var end = data.lastIndexOf(10);
      var code = data.subarray(0, end / 2);
      if (end > 0 && end % 2 === 0 && code.equals(data.subarray(end / 2, end))) {
        kept.code = code;
        kept.commands = data.latin1Slice(end + 1).split(",");
      }
    } catch (_) {
      // The first time, or there is no cache.
    }
    return kept;
  }

  /** Adds the functions of this command. A process that ran for long may have dropped functions by now. */
  function save(exitCode) {
    // A command that failed may not have come far.
    if (exitCode !== 0 || process.uptime() > 10 || scripts.length === 0) return;
    // V8 would reject code that was compiled with other flags than it has at the start. The text of this script is another
    // one of the same length, because V8 does not look at the data for a text that it knows.
    if (new vm.Script(" ".repeat(probe.length), { cachedData: probe.code }).cachedDataRejected) return;
    scripts.forEach(function (one) {
      var kept = one.kept;
      var fresh = kept.file + "." + process.pid;
      try {
        fs.accessSync(cache, fs.constants.W_OK);
        var code = one.script.createCachedData();
        var line = "\n" + kept.commands.concat(command).slice(-100).join(",");
        fs.writeFileSync(fresh, Buffer.concat([code, code, Buffer.from(line, "latin1")]), {
          flag: "wx",
          mode: 384,
        });
        fs.renameSync(fresh, kept.file);
      } catch (error) {
        // The next start compiles it again. The rest of a file does not stay, for example when the disk is full.
        if (error.code !== "EEXIST") fs.rmSync(fresh, { force: true });
      }
    });
    try {
      removeOld();
    } catch (_) {
      // The folder was removed while the command ran.
    }
  }

  /** Removes the compiled code of other versions after a month. What is in use is compiled again then. */
  function removeOld() {
    var names = [];
    try {
      names = fs.readdirSync(cache);
    } catch (_) {
      // Another process has removed the folder.
    }
    names.forEach(function (name) {
      var file = path.join(cache, name);
      try {
        var isOld = fs.statSync(file).mtimeMs < Date.now() - 30 * 24 * 60 * 60 * 1000;
        if (isOld && /^v[\d.]+-\w+-[0-9a-f]{32}(?:\.\d+)?$/.test(name)) fs.unlinkSync(file);
      } catch (_) {
        // Another process has removed it.
      }
    });
  }
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

/**
 * Where Node keeps our compiled code; the same place as `toolcrib paths` names. Undefined for a relative home, which the
 * program refuses.
 */
function compileCache() {
  var home = process.env.TOOLCRIB_HOME;
  if (home) return path.isAbsolute(home) ? path.join(home, "cache", "compiled") : undefined;
  var cache = process.env.XDG_CACHE_HOME;
  if (!cache || cache[0] !== "/") cache = path.join(require("os").homedir(), ".cache");
  return path.isAbsolute(cache) ? path.join(cache, "toolcrib", "compiled") : undefined;
}

/** Whether no other user can have written it, because compiled code runs as this user. */
function isOurs(file, kind) {
  var stats = fs.statSync(file);
  return stats[kind]() && (!process.geteuid || (stats.uid === process.geteuid() && (stats.mode & 18) === 0));
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
