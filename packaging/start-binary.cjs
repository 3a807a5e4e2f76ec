// The start of the single binary: unpacks Node and Toolcrib into the cache folder once, then replaces itself with them.
// Toolcrib starts workers and programs with the Node that runs it, and a binary with a built-in script is not such a Node.
"use strict";

const {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} = require("node:fs");
const { homedir } = require("node:os");
const { dirname, isAbsolute, join } = require("node:path");
const { getAsset } = require("node:sea");
const { zstdDecompressSync } = require("node:zlib");

// Node looks for this text in its own file. The last character says whether it has a built-in script.
const fuse = Buffer.from(["NODE_SEA_FUSE", "fce680ab2cc467b6e072b8b5df1996b2:"].join("_"));

start();

function start() {
  const program = JSON.parse(getAsset("program.json", "utf8"));
  const folder = join(cacheFolder(), "program", program.id);
  if (!existsSync(folder)) {
    try {
      unpack(program, folder);
    } catch (error) {
      process.stderr.write(
        `toolcrib could not unpack itself into ${folder}: ${error.message}\n` +
          "Set TOOLCRIB_HOME to a folder that you can write, for example: export TOOLCRIB_HOME=$HOME/toolcrib\n",
      );
      process.exit(1);
    }
  }
  const unsafe = [lstatSync(folder), lstatSync(dirname(folder)), statSync(cacheFolder())].some(
    (found) => !found.isDirectory() || found.uid !== process.geteuid() || (found.mode & 0o022) !== 0,
  );
  if (unsafe) {
    process.stderr.write(
      `toolcrib does not start from ${folder}: other users can change it, or it is a link.\n` +
        `Remove it and make its parents yours alone: rm -r '${folder}'; chmod go-w '${dirname(folder)}' '${cacheFolder()}'\n`,
    );
    process.exit(1);
  }
  const node = join(folder, "node");
  const words = [node, join(folder, program.start), ...process.argv.slice(2)];
  process.execve(node, words, { ...process.env, TOOLCRIB_BINARY: process.execPath });
}

/** Writes into a folder of its own first, so that two starts at once, or one that was killed, leave nothing incomplete. */
function unpack(program, folder) {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const fresh = `${folder}.${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  try {
    mkdirSync(fresh, { mode: 0o700 });
    const content = zstdDecompressSync(Buffer.from(getAsset("program.zst")));
    let offset = 0;
    for (const { path, size, mode } of program.files) {
      const file = join(fresh, path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, content.subarray(offset, offset + size), { mode });
      offset += size;
    }
    copyNode(join(fresh, "node"));
    try {
      renameSync(fresh, folder);
    } catch (error) {
      // Another start was faster.
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Copies this binary without its built-in script, which makes it Node again. */
function copyNode(file) {
  const [from, to] = [openSync(process.execPath, "r"), openSync(file, "wx", 0o700)];
  // Keeps the end of the last piece, because the text may lie across two.
  const piece = Buffer.alloc(4_000_000 + fuse.length);
  let kept = 0;
  let found = 0;
  for (;;) {
    const read = readSync(from, piece, kept, 4_000_000, null);
    const filled = piece.subarray(0, kept + read);
    for (let at = filled.indexOf(fuse); at >= 0; at = filled.indexOf(fuse, at + 1)) {
      const end = at + fuse.length;
      if (filled[end] === 49) {
        filled[end] = 48;
        found++;
      }
    }
    const done = read === 0 ? filled.length : Math.max(0, filled.length - fuse.length);
    writeSync(to, filled, 0, done);
    piece.copy(piece, 0, done, filled.length);
    kept = filled.length - done;
    if (read === 0) break;
  }
  closeSync(from);
  closeSync(to);
  if (found !== 1) throw new Error(`the mark of the built-in script was found ${found} times`);
}

/** The same folder as `toolcrib paths` names. */
function cacheFolder() {
  const { TOOLCRIB_HOME: home, XDG_CACHE_HOME: cache } = process.env;
  if (home && isAbsolute(home)) return join(home, "cache");
  return join(cache && isAbsolute(cache) ? cache : join(homedir(), ".cache"), "toolcrib");
}
