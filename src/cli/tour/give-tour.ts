import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { openToolcrib } from "../../toolcrib/index.ts";
import { describeTools } from "../commands/tools.ts";
import { explainExamples } from "../help.ts";
import { paint, print } from "../terminal.ts";
import { version } from "../version.ts";
import { changeCode } from "./change-code.ts";
import { editCopy } from "./edit-copy.ts";
import { commandName, Guide, type OwnRoom } from "./guide.ts";
import { readDocuments } from "./read-documents.ts";

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
