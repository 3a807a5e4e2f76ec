import type { Arguments, Command } from "../command.ts";
import { jsonOption, placeOptions } from "../options.ts";
import { type OptionsByForm, refuseOtherForms, unknownSubcommand } from "../parse-arguments.ts";
import { sessionOptionList } from "../session/session-option-list.ts";

const subcommands = ["list", "show", "resume", "fork", "export", "rm"] as const;

/** The options of `toolcrib run`; `resume` is a subcommand here. */
const running = sessionOptionList.filter((each) => each.name !== "resume" && !placeOptions.includes(each));

export const sessionsCommand: Command = {
  name: "sessions",
  summary: "List, resume, export and delete sessions",
  usage: [
    ["sessions [list] [--limit N]", "list agents and MCP clients of this folder, newest first"],
    ["sessions show <session>", "show messages and calls"],
    ['sessions resume <session> ["<task>"]', "continue with a task, or as a chat"],
    ['sessions fork <session> [--turn N] ["<task>"]', "start a new session from the end of a turn"],
    ["sessions export <session> [--output FILE]", "export as Markdown, HTML or JSONL"],
    ["sessions rm <session> ...", "delete conversations"],
  ],
  notes: [
    "Name a session by its id, by a unique beginning of its id, or by `last`. resume and fork take the options of `toolcrib run`. An interrupted session continues where it stopped, and no finished call runs again. A session that is open in another process can only be forked.",
    "rm deletes the conversation; its calls stay in `toolcrib log` and can still be undone. Sessions are deleted after TOOLCRIB_JOURNAL_MAX_DAYS (30) without a message.",
  ],
  options: [
    { name: "limit", value: "N", summary: "list: how many sessions (default: 20)" },
    { name: "all", summary: "show: do not shorten long outputs" },
    { name: "turn", value: "N", summary: "fork: after this turn (default: the last)" },
    {
      name: "format",
      value: "FORMAT",
      choices: ["jsonl", "markdown", "html"],
      summary: "export: format (default: from the file name, else markdown)",
    },
    { name: "output", short: "o", value: "FILE", summary: "export: a new file (default: standard output)" },
    { name: "with-secrets", summary: "show, export: do not redact secrets" },
    { name: "jsonl", summary: "resume, fork: print every event as a line of JSON" },
    ...placeOptions,
    jsonOption,
    ...running,
  ],
  examples: [
    ["toolcrib sessions", "list the sessions"],
    ["toolcrib sessions show last", "read the latest one"],
    ['toolcrib sessions resume last "now add a test"', "the same as run --resume last"],
    ["toolcrib sessions fork last --turn 2", "try something else after turn 2"],
    ["toolcrib sessions export last -o session.html", "save it as a web page"],
    ["toolcrib sessions rm last", "delete its conversation"],
  ],
  operand: subcommands,
  async run({ options, operands: [name = "list", ...operands] }) {
    const given: Arguments = { options, operands };
    refuseOtherForms(sessionsCommand, name, options, optionsByForm);
    const stored = await import("../session/stored-sessions.ts");
    const forms: Readonly<Record<string, Command["run"]>> = {
      list: stored.listSessions,
      show: stored.showSession,
      resume: stored.resumeSession,
      fork: stored.forkSession,
      export: stored.exportToFile,
      rm: stored.removeSessions,
    };
    const run = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (run === undefined) throw unknownSubcommand("sessions", name, subcommands);
    return run(given);
  },
};

const place = ["workspace", "target"];
const held = [...place, "upload-node", "json", "jsonl", ...running.map(({ name }) => name)];
/** Options of another form would have no effect, so they are refused. */
const optionsByForm: OptionsByForm = {
  list: [...place, "json", "limit"],
  show: [...place, "json", "all", "with-secrets"],
  resume: held,
  fork: [...held, "turn"],
  export: [...place, "json", "format", "output", "with-secrets"],
  rm: [...place, "json"],
};
