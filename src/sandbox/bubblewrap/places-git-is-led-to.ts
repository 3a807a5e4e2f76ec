import { lstatSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { liesInside } from "../../system/workspace-path.ts";

/** A place that git obeys because a file of settings says so. */
export interface LedTo {
  readonly path: string;
  readonly kind: "file" | "directory";
}

/** Where in a work tree hooks and further settings are, by a file of settings and those that it includes. */
export function placesGitIsLedTo(config: string, workTree: string): readonly LedTo[] {
  const found = new Map<string, LedTo>();
  const look = (file: string) => {
    for (const { key, value } of settingsIn(textOf(file))) {
      const isInclude = /^include(?:if)?\..*path$/.test(key);
      // `~` and `%(prefix)` are never here.
      if ((!isInclude && key !== "core.hookspath") || /^[~%]/.test(value)) continue;
      const path = resolve(isInclude ? dirname(file) : workTree, value);
      // What it says about other places, or all of this one, would only hinder.
      if (path === workTree || !liesInside(path, workTree) || liesInside(config, path)) continue;
      if (found.has(path) || found.size >= most) continue;
      found.set(path, { path, kind: isInclude ? "file" : "directory" });
      if (isInclude) look(path);
    }
  };
  look(config);
  return [...found.values()];
}

const most = 20;

/** Keys in lower case: `core.hookspath`, `includeif.CONDITION.path`. */
function settingsIn(text: string): readonly { readonly key: string; readonly value: string }[] {
  let section = "";
  return text
    .replaceAll("\\\n", "")
    .split("\n")
    .flatMap((line) => {
      const header = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
      if (header !== null) section = [header[1], header[2]].filter((part) => part !== undefined).join(".");
      const [, name, value = ""] =
        /^\s*([a-z][\w-]*)\s*=\s*(.*)$/i.exec(line.slice(header?.[0].length)) ?? [];
      return name === undefined ? [] : [{ key: `${section}.${name}`.toLowerCase(), value: unquoted(value) }];
    });
}

function unquoted(value: string): string {
  const parts = value.match(/"(?:[^"\\]|\\.)*"|\\.|[^"\\]/g) ?? [];
  const end = parts.findIndex((part) => part === "#" || part === ";");
  return parts
    .slice(0, end === -1 ? undefined : end)
    .map((part) => (part.startsWith('"') ? part.slice(1, -1) : part).replace(/\\(.)/g, "$1"))
    .join("")
    .trim();
}

function textOf(path: string): string {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
