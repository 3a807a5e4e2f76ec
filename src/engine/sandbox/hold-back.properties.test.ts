import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import { missingHere, openSandboxFixture } from "../../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const missing = await missingHere("bwrap");

const protectedNames = [".envrc", ".vscode", ".github/workflows", ".mcp.json"];
const plain = fc.constantFrom("a", "b", "d", "d/e", "d/e/f", "src/a", ".github/x", ".env.example");
const target = fc.oneof(
  { weight: 3, arbitrary: plain },
  { weight: 2, arbitrary: fc.constantFrom(...protectedNames) },
);

/** Commands of a history. What happens to the other names does not depend on what is at a protected one. */
const step = fc.oneof(
  fc
    .tuple(target, fc.nat(99))
    .map(([path, text]) => `rm -rf ${path}; mkdir -p $(dirname ${path}); echo ${text} > ${path}`),
  fc.tuple(plain, fc.nat(99)).map(([path, text]) => `echo ${text} >> ${path}`),
  fc
    .tuple(target, fc.constantFrom("one", "two"))
    .map(([path, name]) => `rm -rf ${path}; mkdir -p ${path}; echo x > ${path}/${name}`),
  fc.tuple(plain, target).map(([from, to]) => `rm -rf ${to}; mkdir -p $(dirname ${to}); cp -r ${from} ${to}`),
  fc.tuple(plain, target).map(([from, to]) => `rm -rf ${to}; mkdir -p $(dirname ${to}); mv ${from} ${to}`),
  fc.tuple(plain, target).map(([from, to]) => `rm -rf ${to}; ln -s "$PWD/${from}" ${to}`),
  fc.tuple(plain, target).map(([from, to]) => `rm -rf ${to}; ln ${from} ${to}`),
  target.map((path) => `rm -rf ${path}`),
  // In plain bash, root may enter a directory whatever its mode says.
  plain.map((path) => `test -f ${path} && chmod 640 ${path}`),
  plain.map(
    (path) =>
      `cat ${path}; ls -A $(dirname ${path}) | grep -v -x -e .envrc -e .vscode -e .mcp.json -e workflows`,
  ),
  fc.constant("ls -A secret; stat -c %s secret/.env"),
);

/** Everything in a folder but what is at protected names, and the content of secrets. */
function treeOf(folder: string, path = ""): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, path)).flatMap((name) => {
      const own = path === "" ? name : `${path}/${name}`;
      if (protectedNames.includes(own)) return [];
      const stats = lstatSync(join(folder, own));
      if (stats.isDirectory()) return [[own, "directory"], ...Object.entries(treeOf(folder, own))];
      const mode = (stats.mode & 0o777).toString(8);
      const link = () => readlinkSync(join(folder, own)).replace(folder, "");
      return [[own, stats.isSymbolicLink() ? link() : `${mode} ${readFileSync(join(folder, own), "utf8")}`]];
    }),
  );
}

/** Runs one history in each of several repositories, in bubblewrap and in plain bash, and compares what they leave and print. */
async function compare(histories: readonly (readonly string[])[]): Promise<void> {
  await using fixture = openSandboxFixture("bwrap");
  await using folder = temporaryFolder();
  const expected = join(folder.path, "work");
  const tops = histories.map((_, index) => `r${index}`);
  for (const workspace of [fixture.workspace, expected]) {
    for (const top of tops) {
      mkdirSync(join(workspace, top, "src"), { recursive: true });
      for (const name of ["secret", ".git"]) mkdirSync(join(workspace, top, name));
      writeFileSync(join(workspace, top, ".git/HEAD"), "ref: refs/heads/main\n");
      writeFileSync(join(workspace, top, "secret/.env"), "canary\n");
      writeFileSync(join(workspace, top, "a"), "a\n");
    }
  }
  const runs = histories.map((history, index) => `(cd r${index}\n${history.join("\n")}\n)`);
  const script = ["umask 022", "exec 2> /dev/null", ...runs, "true"].join("\n");
  const isProtected = (path: string) => protectedNames.some((name) => `${path}/`.includes(`/${name}/`));
  const ran = await fixture.run(script, {
    absent: protectedNames.map((name) => ({ path: join(fixture.workspace, name), kind: "directory" })),
    isReadOnly: isProtected,
    isHidden: (path) => path.endsWith("/.env"),
  });
  const stdout = execFileSync("bash", ["--noprofile", "--norc", "-c", script], {
    cwd: expected,
    encoding: "utf8",
  });
  const left = tops.flatMap((top) => {
    const names = protectedNames.map((name) => `${top}/${name}`);
    return names.filter((name) => lstatSync(join(fixture.workspace, name), { throwIfNoEntry: false }));
  });
  const trees = (workspace: string) => tops.map((top) => treeOf(join(workspace, top)));
  expect({ script, left, trees: trees(fixture.workspace), stdout: ran.stdout }).toEqual({
    script,
    left: [],
    trees: trees(expected),
    stdout,
  });
}

const perCommand = 8;

function histories(commands: number): readonly (readonly string[])[][] {
  const all = fc.sample(fc.array(step, { minLength: 3, maxLength: 12 }), commands * perCommand);
  return Array.from({ length: commands }, (_, index) =>
    all.slice(index * perCommand, (index + 1) * perCommand),
  );
}

it.skipIf(missing !== undefined)(
  "random commands do what they do in plain bash, but for what is held back",
  async () => {
    for (const some of histories(1)) await compare(some);
  },
);

// 64 histories, and 512 in the long run.
it.skipIf(missing !== undefined)(
  "many random commands do what they do in plain bash",
  { tags: "slow", timeout: 600_000 },
  async () => {
    for (const some of histories(rounds(8))) await compare(some);
  },
);
