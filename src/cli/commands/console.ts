import type { Command } from "../command.ts";
import { jsonOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

export const consoleCommand: Command = {
  name: "console",
  summary: "Watch and steer all agents in a browser",
  usage: [["console [--port N] [--no-open] [--json] [--database URL] [--pair [--host ADDRESS]]"]],
  notes: [
    "Shows the calls, approvals and sessions of every client on this machine, with diffs and undo. Answers only to this machine, and only to a browser with the printed address, which works once. Enter prints a new address; Ctrl-C ends the console.",
    "--pair also serves another device, such as your phone, over TLS. It prints an address, a code to type there and the SHA-256 of the certificate to compare.",
  ],
  options: [
    { name: "port", value: "N", summary: "listen on this port (default: a free one)" },
    { name: "no-open", summary: "do not open the browser" },
    { name: "database", value: "URL", summary: "show the fleets of this PostgreSQL database" },
    { name: "pair", summary: "also serve another device, with a code" },
    { name: "host", value: "ADDRESS", summary: "for --pair: the address of this machine to use" },
    { ...jsonOption, isCommon: undefined, summary: "print the address as JSON, and open no browser" },
  ],
  examples: [
    ["toolcrib console", "open the console in the browser"],
    ["toolcrib console --no-open --port 7070", "for a port forwarded by ssh -L 7070:127.0.0.1:7070"],
    ["toolcrib console --pair", "also open it on your phone"],
  ],
  async run(given) {
    refuseOperands(given.operands, consoleCommand);
    return (await import("../console/open-console.ts")).openConsole(given);
  },
};
