import type { Command } from "../command.ts";
import { placeOptions, policyOptions, readOnlyOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

export const rpcCommand: Command = {
  name: "rpc",
  summary: "Serve tools and agents to other languages",
  usage: [
    ["rpc [options]", "serve one program over standard input and output"],
    ["rpc --schema", "print the JSON Schema of the protocol"],
  ],
  notes: [
    "The protocol is JSON-RPC 2.0, one message per line, in both directions: docs/rpc.md. A client in Python is in examples/python. Everything closes when standard input ends.",
    "The program chooses the options of each instance. The options of this command limit them: --workspace to this folder and those below, --target to this target, --rule and --rule-file add rules, --read-only holds for all.",
  ],
  options: [
    { name: "schema", summary: "print the JSON Schema of the protocol, then exit" },
    ...placeOptions,
    ...policyOptions.filter(({ name }) => name !== "mode"),
    readOnlyOption,
  ],
  examples: [
    ["toolcrib rpc", "what the client runs"],
    ["toolcrib rpc -C ~/project --rule 'deny run git push **'", "limit all instances"],
  ],
  async run(given) {
    refuseOperands(given.operands, rpcCommand);
    if (!given.options.has("schema")) return (await import("../rpc/serve-rpc.ts")).serveRpc(given);
    const { protocolSchema } = await import("../rpc/protocol.ts");
    const { print } = await import("../terminal.ts");
    print(`${JSON.stringify(protocolSchema(), null, 2)}\n`);
    return 0;
  },
};
