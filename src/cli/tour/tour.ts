import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { counted } from "../../lib/text/format-quantity.ts";
import { version } from "../../system/version.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { describeTools } from "../commands/tools.ts";
import { explainExamples } from "../help.ts";
import { paint, print } from "../terminal.ts";
import { commandName, Guide, type OwnFolders } from "./guide.ts";

/** Makes real calls in this folder and in a temporary one. Returns 1 when a call ends differently than expected. */
export async function giveTour(folder: string): Promise<number> {
  const temporary = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib-tour-"));
  try {
    const guide = new Guide();
    const own = { workspace: join(temporary, "workspace"), stateDirectory: join(temporary, "state") };
    mkdirSync(own.workspace);
    await showTools(folder);
    const sample = findSample(folder);
    if (sample !== undefined) {
      await readThings(guide, folder, sample);
      cpSync(join(folder, sample), join(own.workspace, sample));
    }
    await changeThings(guide, own);
    await editCopy(guide, own, sample);
    await changeCode(guide, own);
    await readDocuments(guide, own);
    await showLimits(guide, own);
    return showNextSteps(guide);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function showTools(folder: string): Promise<void> {
  const crib = await openToolcrib({ workspace: folder, client: { kind: "cli", name: "tour" } });
  print(`${paint(1, "bold", `Toolcrib ${version}`)}: safe, undoable tools for coding agents\n`);
  print(
    `Workspace: ${crib.workspace}\nMode: ${crib.mode} (reads and changes that undo covers run, the rest needs approval)\n\n`,
  );
  print(await describeTools(undefined));
  await crib.close();
}

async function readThings(guide: Guide, workspace: string, sample: string): Promise<void> {
  const here = { workspace };
  guide.chapter("Reading this folder");
  await guide.visit(
    here,
    "List it. Ignored files are left out.",
    ["file.list", "--path", ".", "--depth", "1"],
    { lines: 8 },
  );
  await guide.visit(here, "Read a file by lines. The last line says how to continue.", [
    ...["file.read", "--path", sample, "--limit", "4"],
  ]);
  await guide.visit(here, "Search all files.", ["search.grep", "--pattern", "TODO|FIXME", "--limit", "5"]);
  await guide.visit(here, "Find files by name, newest first.", [
    ...["search.glob", "--pattern", `**/*${extname(sample)}`, "--limit", "5"],
  ]);
}

async function changeThings(guide: Guide, own: OwnFolders): Promise<void> {
  guide.chapter(`Changing files, in a temporary folder: cd ${own.workspace}`);
  await guide.visit(own, "Write a file: completely or not at all.", [
    ...["file.write", "--path", "notes/hello.txt", "--content", "Hello from Toolcrib."],
  ]);
  await guide.visit(own, "Move it.", ["file.move", "--from", "notes/hello.txt", "--to", "hello.txt"]);
  const deletion = ["file.delete", "--path", "hello.txt"];
  const ends = "needs-approval";
  await guide.visit(own, "In mode safe, every change needs approval.", [...deletion, "--mode", "safe"], {
    ends,
  });
  await guide.visit(own, "In cautious, the default, what undo can restore runs at once.", deletion);
}

async function showLimits(guide: Guide, own: OwnFolders): Promise<void> {
  guide.chapter("Limits");
  await guide.visit(own, "No tool leaves the workspace.", ["file.read", "--path", "../../etc/passwd"], {
    ends: "outside-workspace",
  });
  const entries = Array.from(
    { length: 1500 },
    (_, index) => `entry ${index + 1}: ${"all is well ".repeat(4)}\n`,
  );
  writeFileSync(join(own.workspace, "long.log"), entries.join(""));
  const { output } = await guide.visit(
    own,
    "Output that is too long for a model is cut. The whole output is stored.",
    ["file.read", "--path", "long.log", "--limit", "1500"],
    { ends: "cut", lines: 2 },
  );
  await guide.visit(own, "Read or search stored output like a file.", [
    ...["search.grep", "--pattern", "entry 7[0-2]0", "--path", output ?? "out_"],
  ]);
}

function showNextSteps({ surprises }: Guide): number {
  if (surprises > 0) {
    print(`\n${paint(1, "red", `${counted(surprises, "call")} ended differently than expected.`)}\n`);
    return 1;
  }
  print(`\n${paint(1, "bold", "Next steps")}\n`);
  print(
    explainExamples([
      [`${commandName} call search.grep --help`, "show a tool's arguments"],
      [`${commandName} tools --json`, "print the definitions for a model"],
      [`${commandName} log`, "list the calls of this folder"],
      [`${commandName} help`, "list all commands"],
    ]),
  );
  return 0;
}

/** Returns a text file at the top of the folder, preferably its README. */
function findSample(folder: string): string | undefined {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|txt|rst|json|toml|ts|js|py|rs|go|java|c|h)$/.test(entry.name))
    .map(({ name }) => name);
  return names.find((name) => /^readme\./i.test(name)) ?? names[0];
}

const source = `/** Adds prices up. */
export function total(prices: number[]): number {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}
`;

async function changeCode(guide: Guide, own: OwnFolders): Promise<void> {
  guide.chapter("Changing code by its structure");
  writeFileSync(join(own.workspace, "total.ts"), source);
  const file = ["--path", "total.ts"];
  await guide.visit(own, "List the declarations of a file.", ["code.symbols", ...file]);
  await guide.visit(
    own,
    "Rename a variable, but not parts of other names.",
    ["code.rename", ...file, "--name", "price", "--new-name", "each"],
    { lines: 12 },
  );
  await guide.visit(
    own,
    "A change that would not parse is refused.",
    ["code.replace_block", ...file, "--name", "total", "--new-block", "function total( {}"],
    { ends: "invalid-input" },
  );
}

/** Edits the copy of the sample, or a note when there is none. */
async function editCopy(guide: Guide, own: OwnFolders, sample = "notes.txt"): Promise<void> {
  const file = join(own.workspace, sample);
  if (!existsSync(file)) writeFileSync(file, "A note.\nAnother one.\n");
  const line = uniqueLine(readFileSync(file, "utf8"));
  if (line === undefined) return;
  guide.chapter(`Editing a copy of ${sample} there`);
  const path = ["--path", sample];
  await guide.visit(
    own,
    "Replace text that occurs once. Every other byte stays, and the output is a diff.",
    ["edit.replace", ...path, "--find", line, "--replace", `${line} (edited)`],
    { lines: 12 },
  );
  await guide.visit(
    own,
    "Missing text is never guessed: the error shows the most similar text.",
    ["edit.replace", ...path, "--find", `${line} (edit)`, "--replace", "Something else"],
    { ends: "no-match" },
  );
  await guide.visit(
    own,
    "Patch several files, all or none. This only previews it:",
    ["edit.preview", "--patch", patchOf(sample, `${line} (edited)`, line)],
    { lines: 12 },
  );
}

/** Returns the first short line that occurs only once. */
function uniqueLine(text: string): string | undefined {
  const isUnique = (line: string) =>
    /^[#\w].*\w{3}/.test(line) && line.length < 70 && text.split(line).length === 2;
  return text.split(/\r?\n/).find(isUnique);
}

function patchOf(path: string, before: string, after: string): string {
  return [
    "*** Begin Patch",
    "*** Add File: edited.txt\n+One more file.",
    `*** Update File: ${path}\n@@\n-${before}\n+${after}`,
    "*** End Patch",
  ].join("\n");
}

const table = `Quay;Depth;Since
"North; old";4,9;1902-03-01
South;12;2001-10-31
`;

async function readDocuments(guide: Guide, own: OwnFolders): Promise<void> {
  guide.chapter("Documents, the web and arithmetic");
  writeFileSync(join(own.workspace, "quays.csv"), table);
  await guide.visit(own, "Read a document as text: PDF, Office, notebooks, tables.", [
    ...["document.read", "--path", "quays.csv", "--part", "row 1"],
  ]);
  await guide.visit(
    own,
    "Cloud metadata addresses are blocked in every mode and spelling.",
    ["web.fetch", "--url", "http://2852039166/latest/", "--mode", "yolo"],
    { ends: "denied" },
  );
  await guide.visit(own, "Calculate exactly.", ["math.calculate", "--expression", "0.1 + 0.2 + 2^64"]);
}
