import { delimiter, join } from "node:path";
import { packageFolder, succeeds, unpackPackages } from "./debian-packages.ts";

/** Before all tests: installs bubblewrap where it is missing, into our own folder unless we are root. */
export function setup(): void {
  if (process.platform !== "linux" || has("bwrap")) return;
  if (process.getuid?.() === 0 && succeeds("apt-get", ["install", "-y", "-q", "bubblewrap"])) return;
  const folder = packageFolder("bubblewrap");
  if (unpackPackages(folder, ["bubblewrap"], "usr/bin/bwrap"))
    process.env.PATH = `${join(folder, "usr/bin")}${delimiter}${process.env.PATH}`;
  else {
    console.warn(
      "\nbubblewrap is not here and could not be got: what needs it is skipped. Install it to test all.\n",
    );
  }
}

function has(program: string): boolean {
  return succeeds(program, ["--version"]);
}
