import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openToolcrib } from "../../src/toolcrib/index.ts";
import { linkTree } from "../../test/support/language-servers/served-project.ts";
import { workDirectory } from "../data/data.ts";
import type { CaseResult, Group } from "../harness.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const workspace = join(workDirectory, "servers");
const rule = "allow run node_modules/typescript/bin/tsc --lsp --stdio";
const batch = 20;

/** Renames symbols of our own code with the language server of TypeScript 7, and lets the compiler find missed references. */
export const group: Group = {
  needs: [],
  prepare: copyRepository,
  cases: [],
  run: async function* ({ only, tries = "200" }) {
    const name = `${tries} renames`;
    if (name.includes(only)) yield await renameMany(name, Number(tries));
  },
};

/** Copies the files of this checkout, and links its packages, because links out of a workspace are refused. */
function copyRepository(): void {
  rmSync(workspace, { recursive: true, force: true });
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: repository, encoding: "utf8" });
  for (const file of files.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    cpSync(join(repository, file), join(workspace, file));
  }
  for (const entry of readdirSync(join(repository, "node_modules")))
    if (!entry.startsWith("."))
      linkTree(join(repository, "node_modules", entry), join(workspace, "node_modules", entry));
}

interface Candidate {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly kind: string;
}

interface Made {
  readonly kind: string;
  readonly ms: number;
  readonly files: number;
  readonly places: number;
}

async function renameMany(name: string, renames: number): Promise<CaseResult> {
  let errors = compilerErrors();
  if (errors.length > 0) throw new Error(`The copy does not compile before the renames: ${errors[0]}`);
  const made: Made[] = [];
  const refused: string[] = [];
  let missed = 0;
  const crib = await openToolcrib({
    workspace,
    rules: [rule],
    stateDirectory: join(workDirectory, "state"),
    configDirectory: join(workDirectory, "config"),
  });
  const compile = () => {
    const after = compilerErrors();
    for (const error of after.filter((one) => !errors.includes(one))) console.error(error);
    missed += Math.max(0, after.length - errors.length);
    errors = after;
  };
  try {
    for (const { path, line, name, kind } of candidates()) {
      if (made.length === renames) break;
      const begun = performance.now();
      const new_name = `${name}Renamed`;
      const { data, error, content } = await crib.call("code.rename", { path, line, name, new_name });
      if (error !== null) {
        refused.push(error.message);
        console.error(`${path}:${line} ${name}: ${error.message}`);
        continue;
      }
      // A rename by syntax changes one file, and would be counted as one that misses references.
      if (!content.includes(" by types: ")) throw new Error(`No language server runs: ${content}`);
      const ms = performance.now() - begun;
      made.push({ kind, ms, files: data?.files.length ?? 0, places: data?.places ?? 0 });
      if (made.length % batch === 0) compile();
    }
    if (made.length % batch !== 0) compile();
  } finally {
    await crib.close();
  }
  return result(name, { made, refused, missed });
}

/** Exported names and fields of interfaces in src, each name once, in an order that depends on nothing but the names. */
function candidates(): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const entry of readdirSync(join(workspace, "src"), { recursive: true, encoding: "utf8" })) {
    if (!entry.endsWith(".ts") || entry.endsWith(".test.ts") || entry.startsWith("console/page/")) continue;
    const lines = readFileSync(join(workspace, "src", entry), "utf8").split("\n");
    for (const [at, text] of lines.entries()) {
      const declared =
        /^export (?:async )?(?<kind>function|class|interface|type|const) (?<name>\w{4,})\b/.exec(text) ??
        /^ {2}readonly (?<name>\w{4,})\??: /.exec(text);
      const { kind = "field", name = "" } = declared?.groups ?? {};
      if (declared) found.set(name, { path: `src/${entry}`, line: at + 1, name, kind });
    }
  }
  const rank = ({ name }: Candidate) => createHash("sha256").update(name).digest("hex");
  return [...found.values()].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function compilerErrors(): readonly string[] {
  const { stdout } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit"], {
    cwd: workspace,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split("\n").filter((line) => /error TS\d+:/.test(line));
}

function result(
  name: string,
  { made, refused, missed }: { made: readonly Made[]; refused: readonly string[]; missed: number },
): CaseResult {
  const rowOf = (kind: string, those: readonly Made[]) => {
    const times = those.map(({ ms }) => ms).toSorted((one, other) => one - other);
    const sum = (count: (one: Made) => number) => those.reduce((total, one) => total + count(one), 0);
    return [
      kind,
      String(those.length),
      String(sum(({ places }) => places)),
      String(sum(({ files }) => files)),
      `${((times[Math.floor(times.length / 2)] ?? 0) / 1000).toFixed(1)} s`,
    ];
  };
  const kinds = [...Map.groupBy(made, ({ kind }) => kind)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return {
    group: "servers",
    name,
    about: `Renames exported names and fields of interfaces in a copy of our own repository with \`code.rename\` and the language server of TypeScript 7. After every ${batch} renames \`tsc --noEmit\` checks the whole copy; each new error counts as a missed reference. ${refused.length} other renames were refused and changed nothing.`,
    contenders: [],
    table: [
      ["kind", "renames", "occurrences", "files", "p50 of a rename"],
      ...kinds.map(([kind, those]) => rowOf(kind, those)),
      rowOf("all", made),
    ],
    verdicts: [
      { goal: "no reference missed", value: missed, measured: `${missed} missed`, met: missed === 0 },
    ],
  };
}
