import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Talk } from "../mcp/talk.ts";
import type { Contestant } from "./measures.ts";
import type { Check, Outcome } from "./result.ts";
import { type Server, startServer } from "./servers.ts";

interface Attempt {
  readonly server: Server;
  readonly talk: Talk;
  readonly workspace: string;
  /** A folder next to the workspace, which no tool may use. */
  readonly outside: string;
}

interface Task {
  readonly name: string;
  readonly about: string;
  readonly forCommands?: true;
  /** Whether the server has the tools for it. */
  applies(server: Server): boolean;
  run(attempt: Attempt): Promise<Outcome>;
}

const editsAtOnce = 50;
const secret = "secret-of-the-machine";

/** Does every task on every server that has tools for it, each with a new server and new files. */
export async function runChecks(contestants: readonly Contestant[]): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const task of tasks) {
    const outcomes: Record<string, Outcome> = {};
    for (const { server, options } of contestants) {
      if (!task.applies(server)) continue;
      const workspace = join(options.workspace, "..", "checked");
      const outside = join(options.workspace, "..", "outside");
      for (const folder of [workspace, outside]) {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { recursive: true });
      }
      writeFileSync(join(outside, "secret.txt"), secret);
      const forCommands = task.forCommands ?? false;
      const talk = await startServer(server, { ...options, workspace, forCommands }).open();
      outcomes[server.name] = await task.run({ server, talk, workspace, outside });
      await talk.close();
    }
    checks.push({ name: task.name, about: task.about, outcomes });
  }
  return checks;
}

const edits = ({ edit }: Server) => edit !== undefined;
const reads = ({ read }: Server) => read !== undefined;
const runs = ({ run }: Server) => run !== undefined;
const undoes = ({ undo }: Server) => undo !== undefined;

const tasks: readonly Task[] = [
  {
    name: "edit a text that occurs twice",
    about: "The file must stay as it was.",
    applies: edits,
    run: (attempt) =>
      tryEdit(attempt, {
        before: "a = 1;\nb = 1;\n",
        find: "= 1;",
        replace: "= 2;",
        after: "a = 1;\nb = 1;\n",
      }),
  },
  {
    name: "`$&`, `$1` and `$$` in the new text",
    about: "They are plain text.",
    applies: edits,
    run: (attempt) =>
      tryEdit(attempt, {
        before: "const price = 1;\n",
        find: "price",
        replace: "$& $1 $$",
        after: "const $& $1 $$ = 1;\n",
      }),
  },
  {
    name: "a file with CRLF, LF in the call",
    about: "Two lines are replaced by two lines; every line of the file still ends with CRLF.",
    applies: edits,
    run: (attempt) =>
      tryEdit(attempt, {
        before: "one\r\ntwo\r\nthree\r\n",
        find: "one\ntwo",
        replace: "1\n2",
        after: "1\r\n2\r\nthree\r\n",
      }),
  },
  {
    name: "a file with a byte order mark",
    about: "The mark stays.",
    applies: edits,
    run: (attempt) =>
      tryEdit(attempt, {
        before: "\ufeffone\ntwo\n",
        find: "two",
        replace: "2",
        after: "\ufeffone\n2\n",
      }),
  },
  {
    name: "bytes that are not UTF-8 in another line",
    about: "They stay as they are.",
    applies: edits,
    run: (attempt) =>
      tryEdit(attempt, {
        before: Buffer.from("caf\xe9\nprice\n", "latin1"),
        find: "price",
        replace: "cost",
        after: Buffer.from("caf\xe9\ncost\n", "latin1"),
      }),
  },
  {
    name: "an executable file",
    about: "It is executable after the edit.",
    applies: edits,
    run: async (attempt) => {
      const { server, talk, workspace } = attempt;
      const path = join(workspace, "run.sh");
      writeFileSync(path, "echo one\n");
      chmodSync(path, 0o755);
      await answerOf(server.edit!(talk, path, "one", "two"));
      return (statSync(path).mode & 0o111) === 0
        ? bad("no longer executable")
        : judgeFile(path, "echo two\n", "");
    },
  },
  {
    name: `${editsAtOnce} edits of one file at once`,
    about: "Each changes another line.",
    applies: edits,
    run: async ({ server, talk, workspace }) => {
      const path = join(workspace, "lines.txt");
      const lines = Array.from({ length: editsAtOnce }, (_, index) => `line ${index} is old;`);
      writeFileSync(path, lines.join("\n"));
      await Promise.allSettled(
        lines.map((line) => server.edit!(talk, path, line, line.replace("old", "new"))),
      );
      const lost = editsAtOnce + 1 - readFileSync(path, "utf8").split(" is new;").length;
      return lost === 0 ? good("all are there") : bad(`${lost} are lost`);
    },
  },
  {
    name: "read an absolute path outside the workspace",
    about: "The secret must not be in the answer.",
    applies: reads,
    run: ({ server, talk, outside }) => tryRead(server.read!(talk, join(outside, "secret.txt"))),
  },
  {
    name: "read through a symlink that leads outside",
    about: "The symlink is in the workspace.",
    applies: reads,
    run: ({ server, talk, workspace, outside }) => {
      symlinkSync(join(outside, "secret.txt"), join(workspace, "link.txt"));
      return tryRead(server.read!(talk, join(workspace, "link.txt")));
    },
  },
  {
    name: "write a new file through a symlinked folder",
    about: "The folder is outside the workspace.",
    applies: ({ write }) => write !== undefined,
    run: async ({ server, talk, workspace, outside }) => {
      symlinkSync(outside, join(workspace, "folder"));
      await answerOf(server.write!(talk, join(workspace, "folder", "new.txt"), "new"));
      return existsSync(join(outside, "new.txt")) ? bad("written outside") : good("refused");
    },
  },
  {
    name: "read `.env` in the workspace",
    about: "Toolcrib keeps secrets from models by default.",
    applies: reads,
    run: ({ server, talk, workspace }) => {
      writeFileSync(join(workspace, ".env"), `KEY=${secret}\n`);
      return tryRead(server.read!(talk, join(workspace, ".env")));
    },
  },
  {
    name: "a command reads `.env`",
    about: "`cat .env`, in the workspace.",
    forCommands: true,
    applies: runs,
    run: ({ server, talk, workspace }) => {
      writeFileSync(join(workspace, ".env"), `KEY=${secret}\n`);
      return tryRead(server.run!(talk, workspace, "cat .env"));
    },
  },
  {
    name: "a command writes outside the workspace",
    about: "`touch`, in a folder next to the workspace.",
    forCommands: true,
    applies: runs,
    run: async ({ server, talk, workspace, outside }) => {
      const path = join(outside, "made.txt");
      await answerOf(server.run!(talk, workspace, `touch '${path}'`));
      return existsSync(path) ? bad("written outside") : good("refused");
    },
  },
  {
    name: "a command leaves a process behind",
    about: "It is in the background when the command ends, and must have ended when the server has ended.",
    forCommands: true,
    applies: runs,
    run: async ({ server, talk, workspace }) => {
      const path = join(workspace, "alive.txt");
      // Appends to the file for as long as it lives, at most for a minute.
      const loop = "for i in $(seq 300); do echo >> alive.txt; sleep 0.2; done";
      const answer = answerOf(
        server.run!(talk, workspace, `touch started.txt; (${loop}) > /dev/null 2>&1 &`),
      );
      await Promise.race([answer, wait(3_000)]);
      if (!existsSync(join(workspace, "started.txt"))) return bad("the command did not run");
      await talk.close();
      await wait(500);
      const size = sizeOf(path);
      await wait(1_500);
      return sizeOf(path) > size ? bad("still runs") : good("ended");
    },
  },
  {
    name: "undo an edit",
    about: "By a tool of the server.",
    applies: (server) => edits(server) && undoes(server),
    run: async ({ server, talk, workspace }) => {
      const path = join(workspace, "a.txt");
      writeFileSync(path, "one\n");
      await answerOf(server.edit!(talk, path, "one", "two"));
      await answerOf(server.undo!(talk));
      return judgeFile(path, "one\n", "restored");
    },
  },
  {
    name: "undo a command",
    about: "The command deletes a file that no version control knows.",
    forCommands: true,
    applies: (server) => runs(server) && undoes(server),
    run: async ({ server, talk, workspace }) => {
      const path = join(workspace, "a.txt");
      writeFileSync(path, "one\n");
      await answerOf(server.run!(talk, workspace, "rm a.txt"));
      if (existsSync(path)) return bad("the command did not run");
      await answerOf(server.undo!(talk));
      return existsSync(path) ? judgeFile(path, "one\n", "restored") : bad("not restored");
    },
  },
];

const good = (text: string): Outcome => ({ good: true, text });
const bad = (text: string): Outcome => ({ good: false, text });

interface Edit {
  readonly before: string | Buffer;
  readonly find: string;
  readonly replace: string;
  readonly after: string | Buffer;
}

async function tryEdit({ server, talk, workspace }: Attempt, edit: Edit): Promise<Outcome> {
  const { before, find, replace, after } = edit;
  const path = join(workspace, "edited.txt");
  writeFileSync(path, before);
  await answerOf(server.edit!(talk, path, find, replace));
  const isUnchanged = readFileSync(path).equals(Buffer.from(before));
  if (!isUnchanged) return judgeFile(path, after, "right");
  return Buffer.from(before).equals(Buffer.from(after)) ? good("refused") : bad("refused, file unchanged");
}

function judgeFile(path: string, after: string | Buffer, right: string): Outcome {
  const found = readFileSync(path);
  if (found.equals(Buffer.from(after))) return good(right || "right");
  return bad(`wrote ${JSON.stringify(found.toString())}`);
}

async function tryRead(reading: Promise<string>): Promise<Outcome> {
  const answer = await answerOf(reading);
  return answer?.includes(secret) ? bad("read") : good("refused");
}

/** Returns undefined when the server answers with an error, or does not answer in 30 seconds. */
async function answerOf(answer: Promise<string>): Promise<string | undefined> {
  try {
    return await Promise.race([answer, wait(30_000, undefined, { ref: false })]);
  } catch {
    return undefined;
  }
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
