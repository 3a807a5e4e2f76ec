import type { Command } from "../command.ts";
import { jsonOption } from "../options.ts";

export const targetCommand: Command = {
  name: "target",
  summary: "Show and remove what runs elsewhere",
  usage: [
    ["target list <target>", "list servers and files of Toolcrib on another machine or in a container"],
    ["target stop <target> [session]", "end all servers there, or one, with all their processes"],
    ["target clean <target>", "remove the stored files; running servers stay"],
  ],
  notes: [
    "A target is ssh:host, docker:NAME, podman:NAME, kubernetes:[namespace/]POD[/container], devcontainer:DIR or command:…, nested with +, or a name from [targets] in your config.toml. A server ends by itself after 10 minutes without a client, or after 24 hours while its processes run.",
  ],
  options: [jsonOption],
  examples: [
    ["toolcrib target list ssh:build-host", "see what is left there"],
    ["toolcrib target stop ssh:build-host", "end it"],
    ["toolcrib target clean ssh:build-host", "remove the stored files"],
  ],
  operand: ["list", "stop", "clean"],
  async run(given) {
    const { runTarget } = await import("../session/manage-target.ts");
    return runTarget(given);
  },
};
