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
import { openToolcrib } from "../../toolcrib/index.ts";
import { describeTools } from "../commands/tools.ts";
import { explainExamples } from "../help.ts";
import { paint, print } from "../terminal.ts";
import { version } from "../version.ts";
import { commandName, Guide, type OwnRoom } from "./guide.ts";

/** Real calls on this folder and in a temporary one; the exit code says whether all ended as told. */
export async function giveTour(folder: string): Promise<number> {
  const temporary = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib-tour-"));
  try {
    const guide = new Guide();
    const ownRoom = { workspace: join(temporary, "workspace"), stateDirectory: join(temporary, "state") };
    mkdirSync(ownRoom.workspace);
    await showRoom(folder);
    const sample = findSample(folder);
    if (sample !== undefined) {
      await lookAround(guide, folder, sample);
      cpSync(join(folder, sample), join(ownRoom.workspace, sample));
    }
    await changeThings(guide, ownRoom);
    await editCopy(guide, ownRoom, sample);
    await changeCode(guide, ownRoom);
    await readDocuments(guide, ownRoom);
    await meetLimits(guide, ownRoom);
    return sayGoodbye(guide);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function showRoom(folder: string): Promise<void> {
  const crib = await openToolcrib({ workspace: folder });
  print(`${paint(1, "bold", `Toolcrib ${version}`)}, the tool room for coding agents\n`);
  print(`Workspace: ${crib.workspace}\nMode: ${crib.mode} (reads and writes pass, all else asks)\n\n`);
  print(await describeTools(undefined));
  await crib.close();
}

async function lookAround(guide: Guide, folder: string, sample: string): Promise<void> {
  const room = { workspace: folder };
  guide.chapter("Looking around in this folder");
  await guide.visit(room, {
    says: "What is here? Ignored files are left out.",
    words: ["file.list", "--path", ".", "--depth", "1"],
    ends: "ok",
    lines: 8,
  });
  await guide.visit(room, {
    says: "Read a file by lines; the last line says how to go on.",
    words: ["file.read", "--path", sample, "--limit", "4"],
    ends: "ok",
  });
  await guide.visit(room, {
    says: "Search all files.",
    words: ["search.grep", "--pattern", "TODO|FIXME", "--limit", "5"],
    ends: "ok",
  });
  await guide.visit(room, {
    says: "Find files by name, newest first.",
    words: ["search.glob", "--pattern", `**/*${extname(sample)}`, "--limit", "5"],
    ends: "ok",
  });
}

async function changeThings(guide: Guide, room: OwnRoom): Promise<void> {
  guide.chapter(`Changing things, in a temporary folder: cd ${room.workspace}`);
  await guide.visit(room, {
    says: "Write a file: whole or not at all, whatever happens meanwhile.",
    words: ["file.write", "--path", "notes/hello.txt", "--content", "Hello from the tool room."],
    ends: "ok",
  });
  await guide.visit(room, {
    says: "Move it.",
    words: ["file.move", "--from", "notes/hello.txt", "--to", "hello.txt"],
    ends: "ok",
  });
  await guide.visit(room, {
    says: "Deleting is destructive: somebody would have to approve it.",
    words: ["file.delete", "--path", "hello.txt"],
    ends: "needs-approval",
  });
  await guide.visit(room, {
    says: "Whoever types it may allow it.",
    words: ["file.delete", "--path", "hello.txt", "--mode", "yolo"],
    ends: "ok",
  });
}

async function meetLimits(guide: Guide, room: OwnRoom): Promise<void> {
  guide.chapter("What does not work, and what is never lost");
  await guide.visit(room, {
    says: "No way out of the workspace.",
    words: ["file.read", "--path", "../../etc/passwd"],
    ends: "outside-workspace",
  });
  const entries = Array.from(
    { length: 1500 },
    (_, index) => `entry ${index + 1}: ${"all is well ".repeat(4)}\n`,
  );
  writeFileSync(join(room.workspace, "long.log"), entries.join(""));
  const { output } = await guide.visit(room, {
    says: "An answer too long for a model is cut, but kept whole under a handle.",
    words: ["file.read", "--path", "long.log", "--limit", "1500"],
    ends: "cut",
    lines: 2,
  });
  await guide.visit(room, {
    says: "The handle can be read and searched like a file.",
    words: ["search.grep", "--pattern", "entry 7[0-2]0", "--path", output ?? "out_"],
    ends: "ok",
  });
}

function sayGoodbye({ surprises }: Guide): number {
  if (surprises > 0) {
    print(`\n${paint(1, "red", `${surprises} of these calls did not end as told.`)}\n`);
    return 1;
  }
  print(`\n${paint(1, "bold", "Now you")}\n`);
  print(
    explainExamples([
      { command: `${commandName} call search.grep --help`, shows: "what a tool takes" },
      {
        command: `${commandName} tools --json`,
        shows: "the definitions, and which your model is told of at once",
      },
      { command: `${commandName} log`, shows: "what was called in this folder" },
      { command: `${commandName} help`, shows: "all commands" },
    ]),
  );
  return 0;
}

/** A text file at the top of the folder, its README if it has one. */
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

/** Functions instead of lines. */
async function changeCode(guide: Guide, room: OwnRoom): Promise<void> {
  guide.chapter("Code, as its language sees it");
  writeFileSync(join(room.workspace, "total.ts"), source);
  await guide.visit(room, {
    says: "What does a file declare?",
    words: ["code.symbols", "--path", "total.ts"],
    ends: "ok",
  });
  await guide.visit(room, {
    says: "Rename a variable wherever the file means it: not the parts of other names.",
    words: ["code.rename", "--path", "total.ts", "--name", "price", "--new-name", "each"],
    ends: "ok",
    lines: 12,
  });
  await guide.visit(room, {
    says: "A change that would no longer parse is not written.",
    words: [
      "code.replace_block",
      "--path",
      "total.ts",
      "--name",
      "total",
      "--new-block",
      "function total( {}",
    ],
    ends: "invalid-input",
  });
}

/** Edits the copy of the sample, or a note where there is none. */
async function editCopy(guide: Guide, room: OwnRoom, sample = "notes.txt"): Promise<void> {
  const file = join(room.workspace, sample);
  if (!existsSync(file)) writeFileSync(file, "A note.\nAnother one.\n");
  const line = tellingLine(readFileSync(file, "utf8"));
  if (line === undefined) return;
  guide.chapter(`Editing a copy of ${sample}, there too`);
  await guide.visit(room, {
    says: "Replace text that is there just once: every other byte stays, and the answer shows what was done.",
    words: ["edit.replace", "--path", sample, "--find", line, "--replace", `${line} (edited)`],
    ends: "ok",
    lines: 12,
  });
  await guide.visit(room, {
    says: "What is not there is never guessed: the nearest place is shown.",
    words: ["edit.replace", "--path", sample, "--find", `${line} (edit)`, "--replace", "Something else"],
    ends: "no-match",
  });
  await guide.visit(room, {
    says: "Several files at once, all or none. First only a look:",
    words: ["edit.preview", "--patch", patchOf(sample, `${line} (edited)`, line)],
    ends: "ok",
    lines: 12,
  });
}

/** The first line that no other one holds, and that is short enough to be shown. */
function tellingLine(text: string): string | undefined {
  const isTelling = (line: string) =>
    /^[#\w].*\w{3}/.test(line) && line.length < 70 && text.split(line).length === 2;
  return text.split(/\r?\n/).find(isTelling);
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

/** What others have written: documents and pages. */
async function readDocuments(guide: Guide, room: OwnRoom): Promise<void> {
  guide.chapter("Documents, the web, and arithmetic");
  writeFileSync(join(room.workspace, "quays.csv"), table);
  await guide.visit(room, {
    says: "A document as text: PDF, Office, notebooks … or a table, whatever separates its cells.",
    words: ["document.read", "--path", "quays.csv", "--part", "row 1"],
    ends: "ok",
  });
  await guide.visit(room, {
    says: "No page leads to where keys are handed out, in no mode and no disguise.",
    words: ["web.fetch", "--url", "http://2852039166/latest/", "--mode", "yolo"],
    ends: "denied",
  });
  await guide.visit(room, {
    says: "Numbers that are exact.",
    words: ["math.calculate", "--expression", "0.1 + 0.2 + 2^64"],
    ends: "ok",
  });
}
