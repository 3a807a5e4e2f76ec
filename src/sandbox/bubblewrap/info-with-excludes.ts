import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentAt, holdReal } from "../../system/pinning/at-real-place.ts";

/**
 * A copy of a repository's `info`, kept in `folder`, which excludes `names` as well: what only a sandbox has put into the
 * work tree, or hides there, is not for `git add -A`. Links, and what is no short file, are not copied.
 */
export function infoWithExcludes(info: string, names: readonly string[], folder: string): string {
  const files = filesIn(info);
  const own = Buffer.from(files.get("exclude") ?? []).toString("latin1");
  const added = names.map((name) => `/${escaped(name)}\n`).join("");
  const exclude = `${own}${own === "" || own.endsWith("\n") ? "" : "\n"}${Buffer.from(added).toString("latin1")}`;
  files.set("exclude", Buffer.from(exclude, "latin1"));
  const hash = createHash("sha256").update(info);
  for (const [name, content] of files) hash.update(`\0${name}\0${content.length}\0`).update(content);
  const copy = join(folder, `info-${hash.digest("hex").slice(0, 24)}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.draft`;
  mkdirSync(draft, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(draft, name), content);
  renameSync(draft, copy);
  return copy;
}

const maxBytes = 1024 * 1024;

/** Nobody who exchanges one of them for a link meanwhile has something else copied. */
function filesIn(info: string): Map<string, Uint8Array> {
  const directory = holdReal(info);
  if (directory === undefined) return new Map();
  try {
    const names = readdirSync(directory.at(".")).sort();
    return new Map(
      names.flatMap((name) => {
        const content = contentAt(directory.at(name), maxBytes);
        return content === undefined ? [] : [[name, content]];
      }),
    );
  } catch {
    return new Map();
  } finally {
    directory.close();
  }
}

/** As git reads patterns. */
function escaped(name: string): string {
  return name.replace(/[\\*?[\]!#]/g, "\\$&").replace(/ $/, "\\ ");
}
