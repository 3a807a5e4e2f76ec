import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { ProviderKind, SeenRequest } from "../../../test/providers/provider-server.ts";
import { startProvider } from "../../../test/providers/start-provider.ts";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { checkHistory } from "../../../test/support/check-history.ts";
import { noteTool } from "../../../test/support/session-records/note-tool.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createSession } from "../create-session.ts";

const killedSession = await bundledProgram(
  new URL("../../../test/support/session-records/killed-session.ts", import.meta.url),
);

/** When the process is killed, and the later answers to the calls of its reply. The providers take turns. */
const moments: readonly (readonly [moment: string, kind: ProviderKind, answers: readonly RegExp[]])[] = [
  ["round-start", "openai", []],
  ["text-delta", "anthropic", []],
  ["before one", "google", [/^This call was not made/, /^This call was not made/]],
  [
    "within one",
    "openrouter",
    [/^The session was interrupted during this call\. It may/, /^This call was not made/],
  ],
  ["after one", "ollama", [/^This call succeeded/, /^This call was not made/]],
  ["told noted one", "openai-chat", [/^noted one$/, /^This call was not made/]],
  [
    "begin one",
    "openai-chat",
    [/^The session was interrupted during this call\. It may/, /^This call was not made/],
  ],
  ["before two", "anthropic", [/^noted one$/, /^This call was not made/]],
  ["within two", "google", [/^noted one$/, /^The session was interrupted during this call\. It may/]],
  ["after two", "openai-chat", [/^noted one$/, /^This call succeeded/]],
  ["told noted two", "openrouter", [/^noted one$/, /^noted two$/]],
  ["turn-end", "ollama", [/^noted one$/, /^noted two$/]],
];

describe("a killed session", () => {
  for (const [moment, kind, answers] of moments) {
    const tags = moment === "after one" ? [] : ["slow"];
    it(`at \`${moment}\` (${kind}) resumes: no call is lost, and no finished call runs again`, {
      tags,
    }, async () => {
      await using folder = temporaryFolder();
      const workspace = join(folder.path, "workspace");
      for (const path of [workspace, join(folder.path, "config")]) mkdirSync(path);
      const notes = () => (existsSync(join(workspace, "notes")) ? lines(join(workspace, "notes")) : []);
      const server = await startProvider(kind, (request) => play(request, notes()));
      const options = {
        model: server.model,
        models: server.settings,
        dialect: "toolcrib",
        workspace,
        stateDirectory: join(folder.path, "state"),
        configDirectory: join(folder.path, "config"),
      };
      const child = spawn(
        process.execPath,
        [killedSession, JSON.stringify(options), moment, "note one and two"],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      const [id, [, signal]] = await Promise.all([text(child.stdout), once(child, "close")]);
      expect(signal).toBe("SIGKILL");

      const untouched = await createSession({ ...options, resume: id, tools: [noteTool()] });
      const found = untouched.messages;
      await untouched.close();
      const session = await createSession({ ...options, resume: id, tools: [noteTool()] });
      expect(session.messages).toEqual(found);
      const given = found.flatMap((message) => (message.role === "tool" ? message.answers : []));
      expect(given.map(({ content }) => content)).toEqual(
        answers.map((words) => expect.stringMatching(words)),
      );
      const { outcome } = await session.run("go on").result;
      const { messages } = session;
      await session.close();
      await server.close();
      expect({ outcome, notes: notes(), faults: checkHistory(messages), breaches: server.breaches }).toEqual({
        outcome: "completed",
        notes: ["one", "two"],
        faults: [],
        breaches: [],
      });
    });
  }
});

/** A model that writes the notes it has no confirmation of; when unsure, it checks first. */
function play({ messages }: SeenRequest, notes: readonly string[]) {
  const answers = messages.filter(({ role }) => role === "tool").map(({ text }) => text);
  const isDone = (text: string, index: number) => {
    const answered = answers.filter((_, position) => position % 2 === index);
    if (answers.some((answer) => answer.includes(`noted ${text}`))) return true;
    if (answered.some((answer) => answer.includes("succeeded"))) return true;
    return answered.some((answer) => answer.includes("may have run in part")) && notes.includes(text);
  };
  const open = ["one", "two"].filter((name, index) => !isDone(name, index));
  if (open.length === 0) return { text: "All is noted." };
  return {
    reasoning: "What is left?",
    text: "I note.",
    calls: open.map((name) => ({ name: "note", input: { text: name } })),
  };
}

function lines(path: string): readonly string[] {
  return readFileSync(path, "utf8").trimEnd().split("\n");
}
