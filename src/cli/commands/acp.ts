import type { Command } from "../command.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { sessionOptionList } from "../session/session-option-list.ts";

/** Options that only make sense on a terminal. */
const onTerminal: ReadonlySet<string> = new Set(["resume", "no-input", "verbose"]);

export const acpCommand: Command = {
  name: "acp",
  summary: "Run the agent in an editor over ACP",
  usage: [
    ["acp [options]", "serve an editor over standard input and output"],
    ["acp --setup", "list the models, and how to add one"],
  ],
  notes: [
    "Editors with the Agent Client Protocol start this command: Zed, JetBrains, Neovim, Emacs and others. They show the model's text, plans, diffs and commands, and ask for approval.",
    "The editor chooses the folder of each session. --workspace limits it to this folder and those below.",
    "With --target, all sessions work there. Without it, a folder that [targets] in your config.toml sets to a target works there.",
  ],
  options: [
    { name: "setup", summary: "list the models, and how to add one, then exit" },
    ...sessionOptionList.filter(({ name }) => !onTerminal.has(name)),
  ],
  examples: [
    ["toolcrib acp", "what the editor runs"],
    ["toolcrib acp -m openai/gpt-5 --mode safe", "another model; approve every write"],
    ["toolcrib acp --target docker:app:/srv", "work in a container"],
  ],
  async run(given) {
    refuseOperands(given.operands, acpCommand);
    if (given.options.has("setup"))
      return (await import("../models.ts")).showModels({ options: new Map(), operands: [] });
    return (await import("../acp/serve-acp.ts")).serveAcp(given);
  },
};
