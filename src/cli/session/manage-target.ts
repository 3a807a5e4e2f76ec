import { ToolError } from "../../contract/error.ts";
import type { LeftOnTarget } from "../../environment/remote/attach-protocol.ts";
import { manageTarget } from "../../environment/remote/connect-target.ts";
import { parseTarget } from "../../environment/remote/target.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { targetCommand } from "../commands/target.ts";
import { targetNamed } from "../config/with-target.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print, remark } from "../terminal.ts";

/** `toolcrib target list|stop|clean TARGET`: then lists what is left there. */
export async function runTarget({ operands, options }: Arguments): Promise<number> {
  const [action = "", name = "", ...rest] = operands;
  const kind = (["list", "stop", "clean"] as const).find((one) => one === action);
  if (kind === undefined || name === "")
    throw new ToolError("invalid-input", "`toolcrib target` needs an action and a target", {
      hint: "Run for example: toolcrib target list ssh:host",
    });
  const [session] = kind === "stop" ? rest : [];
  refuseOperands(session === undefined ? rest : rest.slice(1), targetCommand);
  if (session !== undefined && !/^[\da-f]{32}$/.test(session))
    throw new ToolError("invalid-input", `${session} is not the id of a server`, {
      hint: `Use an id from: toolcrib target list ${shellQuote(name)}`,
    });
  if (kind !== "list") refuseProgramsOfTools(`${kind} on other machines`);
  const target = parseTarget(await targetNamed(name));
  const request = kind === "stop" && session !== undefined ? { kind, sessions: [session] } : { kind };
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY;
  const left = await manageTarget(target, request, { mayAsk });
  if (options.has("json")) printJson(left);
  else show(left, target.name);
  return 0;
}

/** The target may be hostile, so its texts are shown as plain text. */
function show({ folder, sessions, files }: LeftOnTarget, name: string): void {
  if (sessions.length === 0) remark(`No server runs on ${printableLine(name)}.\n`);
  else
    print(
      layTable(
        sessions.map((one) => [
          printableLine(one.session),
          printableLine(one.workspace),
          printableLine(one.client),
          one.isAttached ? "connected" : "not connected",
          `${counted(one.running, "process", "processes")} running`,
        ]),
      ),
    );
  if (files.length === 0) return;
  remark(`Files in ${printableLine(folder)}:\n`);
  print(layTable(files.map((file) => [printableLine(file.name), showSize(file.bytes)])));
}
