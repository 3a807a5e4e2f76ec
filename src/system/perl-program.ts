import { readFileSync } from "node:fs";
import { packageFile } from "./package-file.ts";

const known = new Map<string, string>();

/** Returns the text of a Perl program for `perl -e`, without comments, because process lists show it. */
export function perlProgram(name: string, module: string): string {
  let text = known.get(name);
  if (text === undefined) {
    const file = packageFile(module, { source: name, built: `perl/${name}` });
    text = readFileSync(file, "utf8").replace(/^\s*#.*\n/gm, "");
    known.set(name, text);
  }
  return text;
}
