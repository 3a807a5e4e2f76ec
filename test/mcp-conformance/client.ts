/**
 * The client of the official conformance suite, which starts it with the address of its server as last word. It sends
 * that to the socket named by TOOLCRIB_CONFORMANCE_HUB, where `served-hub.ts` connects our hub to the server.
 */
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import type { ClientResult, ClientScenario } from "./served-hub.ts";

const {
  TOOLCRIB_CONFORMANCE_HUB,
  MCP_CONFORMANCE_PROTOCOL_VERSION,
  MCP_CONFORMANCE_CONTEXT,
  MCP_CONFORMANCE_SCENARIO,
} = process.env;
const scenario: ClientScenario = {
  url: process.argv.at(-1)!,
  version: MCP_CONFORMANCE_PROTOCOL_VERSION,
  context: MCP_CONFORMANCE_CONTEXT,
  name: MCP_CONFORMANCE_SCENARIO,
};
const connection = connect(TOOLCRIB_CONFORMANCE_HUB!);
connection.end(JSON.stringify(scenario));
const { output, exit } = (await json(connection)) as ClientResult;
console.error(output);
process.exitCode = exit;
