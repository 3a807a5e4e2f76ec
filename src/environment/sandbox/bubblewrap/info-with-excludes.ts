import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../names-in.ts";

/**
 * A copy of a repository's `info`, kept in `folder`, which excludes `names` as well: what only a sandbox has put into the
 * work tree, or hides there, is not for `git add -A`.
 */
export function infoWithExcludes(info: string, names: readonly string[], folder: string): string {
  const files = namesIn(info).filter((name) =>
    lstatSync(join(info, name), { throwIfNoEntry: false })?.isFile(),
  );
  const own = files.includes("exclude") ? readFileSync(join(info, "exclude"), "latin1") : "";
  const added = names.map((name) => `/${escaped(name)}\n`).join("");
  const exclude = `${own}${own === "" || own.endsWith("\n") ? "" : "\n"}${Buffer.from(added).toString("latin1")}`;
  const others = files.filter((name) => name !== "exclude");
  const stamp = others.map((name) => [name, lstatSync(join(info, name)).ctimeMs]);
  const hash = createHash("sha256")
    .update(JSON.stringify([info, exclude, stamp]))
    .digest("hex")
    .slice(0, 24);
  const copy = join(folder, `info-${hash}`);
  if (existsSync(copy)) return copy;
  const draft = join(folder, `draft-${hash}`);
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, "exclude"), exclude, "latin1");
  for (const name of others) copyFileSync(join(info, name), join(draft, name));
  renameSync(draft, copy);
  return copy;
}

/** As git reads patterns. */
function escaped(name: string): string {
  return name.replace(/[\\*?[\]!#]/g, "\\$&").replace(/ $/, "\\ ");
}
