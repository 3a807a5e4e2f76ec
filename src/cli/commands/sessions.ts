import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Arguments, Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { sessionOptionList } from "../session/session-option-list.ts";

const subcommands = ["list", "show", "resume", "fork", "export", "rm"] as const;

/** Those of `toolcrib run`, but for the one that stands for a whole subcommand here. */
const running = sessionOptionList.filter(({ name }) => name !== "resume" && name !== "workspace");

/** `toolcrib sessions` */
export const sessionsCommand: Command = {
  name: "sessions",
  summary: "See, go on with, export and remove sessions with models",
  usage: [
    "sessions [list] [--limit N]                  those of this folder, newest first",
    "sessions show <session>                      what was said and done in one",
    'sessions resume <session> ["<task>"]         go on with it: a task like toolcrib run, none like toolcrib chat',
    'sessions fork <session> [--turn N] ["…"]     begin a new one with what was said up to the end of a turn',
    "sessions export <session> [--output FILE]    as Markdown, one HTML file, or JSONL",
    "sessions rm <session> …                      remove what was said",
  ],
  notes: [
    "A session is named by its id, by a beginning of it that no other has, or last.",
    "resume and fork take the options of toolcrib run. What was cut off, by kill -9 for example, goes on where it was: no",
    "call that ended is made again. A session that is open in another process can be forked, but not resumed.",
    "show and export leave out what looks like a key or a password, unless --with-secrets is given.",
    "rm overwrites the words of the conversation. What its calls did stays in toolcrib log, and can still be undone.",
    "Sessions in which nothing was said for TOOLCRIB_JOURNAL_MAX_DAYS (30) are removed by themselves.",
  ],
  options: [
    workspaceOption,
    { name: "limit", value: "N", summary: "list: how many; 20 if not given" },
    { name: "all", summary: "show: also the whole of long answers" },
    { name: "turn", value: "N", summary: "fork: after which turn; the last if not given" },
    {
      name: "format",
      value: "FORMAT",
      choices: ["jsonl", "markdown", "html"],
      summary: "export: as what; by the name of the file, or markdown, if not given",
    },
    {
      name: "output",
      short: "o",
      value: "FILE",
      summary: "export: a new file; standard output if not given",
    },
    { name: "with-secrets", summary: "show, export: leave nothing out" },
    jsonOption,
    { name: "jsonl", summary: "resume, fork: print every event as a line of JSON, as it happens" },
    ...running,
  ],
  examples: [
    { command: "toolcrib sessions", shows: "what there is" },
    { command: "toolcrib sessions show last", shows: "read it again" },
    { command: 'toolcrib sessions resume last "now add a test"', shows: "the same as run --resume last" },
    { command: "toolcrib sessions fork last --turn 2", shows: "try something else from there on" },
    { command: "toolcrib sessions export last -o session.html", shows: "to hand it to somebody" },
    { command: "toolcrib sessions list --json | jq -r '.[].session'", shows: "for a program" },
    { command: "toolcrib sessions rm last", shows: "what was said is gone" },
  ],
  operand: subcommands,
  async run({ options, operands: [name = "list", ...operands] }) {
    const given: Arguments = { options, operands };
    refuseOptionsOfOthers(name, options);
    switch (name) {
      case "list":
        return (await import("../session/stored-sessions.ts")).listSessions(given);
      case "show":
        return (await import("../session/show-session.ts")).showSession(given);
      case "resume":
        return (await import("../session/stored-sessions.ts")).resumeSession(given);
      case "fork":
        return (await import("../session/stored-sessions.ts")).forkSession(given);
      case "export":
        return (await import("../session/export-session.ts")).exportToFile(given);
      case "rm":
        return (await import("../session/stored-sessions.ts")).removeSessions(given);
      default:
        throw unknownSubcommand(name);
    }
  },
};

/** What each form takes: an option that does nothing there would be taken for one that does. */
const held = ["workspace", "json", "jsonl", ...running.map(({ name }) => name)];
const taken: Readonly<Record<string, readonly string[]>> = {
  list: ["workspace", "json", "limit"],
  show: ["workspace", "json", "all", "with-secrets"],
  resume: held,
  fork: [...held, "turn"],
  export: ["workspace", "json", "format", "output", "with-secrets"],
  rm: ["workspace", "json"],
};

function refuseOptionsOfOthers(name: string, options: ReadonlyMap<string, string>): void {
  const wrong = [...options.keys()].find((option) => taken[name]?.includes(option) === false);
  if (wrong === undefined) return;
  const forms = Object.keys(taken).filter((other) => taken[other]!.includes(wrong));
  throw new ToolError("invalid-input", `--${wrong} means nothing to toolcrib sessions ${name}`, {
    hint: `It is for: ${forms.map((form) => `toolcrib sessions ${form}`).join(", ")}.`,
  });
}

function unknownSubcommand(name: string): ToolError {
  const meant = nearest(name, subcommands);
  return new ToolError("invalid-input", `toolcrib sessions has no command "${name}"`, {
    hint: meant ? `Did you mean \`toolcrib sessions ${meant}\`?` : "See: toolcrib help sessions",
  });
}
