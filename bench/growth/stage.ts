import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { workDirectory } from "../data/data.ts";
import { Random } from "../data/random.ts";

const folder = join(workDirectory, "growth");

/** A checkout whose build is measured, copied to where no source is beside it, as npm installs it. */
export interface Subject {
  readonly name: string;
  readonly checkout: string;
  readonly installed: string;
  /** State directories and journals of this subject, whose format other versions may not read. */
  readonly folder: string;
  /** The program that measures it. */
  readonly program: string;
}

export const ownCheckout: string = fileURLToPath(new URL("../..", import.meta.url));

export function subjectOf(directory: string, program = ""): Subject {
  const checkout = resolve(directory);
  const key = createHash("sha256").update(checkout).digest("hex").slice(0, 8);
  const own = join(folder, "subjects", `${basename(checkout)}-${key}`);
  const installed = join(own, "toolcrib");
  return { name: basename(checkout), checkout, installed, folder: own, program };
}

export function installSubject(directory: string, program = ""): Subject {
  const subject = subjectOf(directory, program);
  const { checkout, installed } = subject;
  process.stderr.write(`Building ${checkout} …\n`);
  execFileSync(process.execPath, [join(checkout, "scripts", "build.ts"), "--quick"], {
    stdio: ["ignore", 2, 2],
  });
  rmSync(installed, { recursive: true, force: true });
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(checkout, part), join(installed, part), { recursive: true });
  symlinkSync(join(checkout, "node_modules"), join(installed, "node_modules"));
  return subject;
}

/** Builds the program that measures. As TypeScript, it would also measure 30 MB of Node's compiler. */
export async function buildMeasure(): Promise<string> {
  const input = fileURLToPath(new URL("measure.ts", import.meta.url));
  const file = join(folder, "measure.mjs");
  const { build } = await import("rolldown");
  await build({ input, platform: "node", output: { file }, logLevel: "warn" });
  return file;
}

/** Returns the number that "10k" or "1m" stands for. */
export function countOf(size: string): number {
  const [, digits, unit] = /^(\d+)([km]?)$/i.exec(size) ?? [];
  if (digits === undefined) throw new Error(`--sizes has "${size}". Write for example: --sizes 1k,10k,1m`);
  return Number(digits) * ({ k: 1e3, m: 1e6 }[unit!.toLowerCase()] ?? 1);
}

/** A tree of this many files, made once. With git, all files are committed. */
export function ensureTree(size: string, { git }: { git: boolean }): string {
  const root = join(folder, "trees", git ? size : `${size}-plain`);
  if (existsSync(root)) return root;
  process.stderr.write(`Making ${root} …\n`);
  const draft = `${root}.new`;
  rmSync(draft, { recursive: true, force: true });
  writeTree(draft, countOf(size));
  if (git) {
    const run = (...args: string[]) => execFileSync("git", ["-C", draft, ...args], { stdio: "ignore" });
    run("init", "--quiet");
    run("-c", "core.compression=1", "-c", "core.fsync=none", "add", "--all");
    run("-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "-m", "Everything");
  }
  renameSync(draft, root);
  return root;
}

export const firstFile = "packages/p000/src/m000/f00.ts";

const words =
  "alpha beta gamma delta request session worker journal parse token tree index value error result config handler route store cache".split(
    " ",
  );

/** 20 files a folder, 200 folders a package; each file defines some functions and imports its neighbour. */
function writeTree(root: string, files: number): void {
  const random = new Random(7);
  for (let file = 0; file < files; file++) {
    const number = Math.floor(file / 20);
    const directory = join(
      root,
      `packages/p${padded(Math.floor(number / 200), 3)}/src/m${padded(number % 200, 3)}`,
    );
    if (file % 20 === 0) mkdirSync(directory, { recursive: true });
    const name = `${random.pick(words)}${random.pick(words)}${file}`;
    const body = Array.from(
      { length: 2 + random.below(5) },
      (_, at) =>
        `export function ${name}_${at}(input: string): number {\n  return input.length + ${at}; // ${random.pick(words)} ${random.pick(words)}\n}\n`,
    );
    const imports = file % 20 === 0 ? "" : `import { x } from "./f${padded((file % 20) - 1, 2)}.ts";\n`;
    writeFileSync(join(directory, `f${padded(file % 20, 2)}.ts`), imports + body.join("\n"));
  }
  writeFileSync(join(root, ".gitignore"), "node_modules/\ndist/\n");
}

const padded = (number: number, digits: number) => String(number).padStart(digits, "0");

/** A state directory with a journal of this many calls of the last 60 days, written once by the subject's own code. */
export function ensureJournal(
  subject: Subject,
  size: string,
): { readonly state: string; readonly workspace: string } {
  const state = join(subject.folder, `journal-${size}`);
  const workspace = join(folder, "journal-workspace");
  mkdirSync(workspace, { recursive: true });
  const key = createHash("sha256")
    .update(readFileSync(join(subject.checkout, "src/journal/database.ts")))
    .digest("hex");
  const stamp = join(state, "made-by");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return { state, workspace };
  process.stderr.write(`Making ${state} …\n`);
  rmSync(state, { recursive: true, force: true });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const program = fileURLToPath(new URL("write-journal.ts", import.meta.url));
  execFileSync(process.execPath, [program, subject.checkout, state, workspace, String(countOf(size))], {
    stdio: ["ignore", 2, 2],
  });
  writeFileSync(stamp, key);
  return { state, workspace };
}
