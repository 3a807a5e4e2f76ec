import { ToolError } from "../../contract/error.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { canAsk } from "../terminal.ts";
import { readLine } from "./read-line.ts";
import { refuseProgramsOfTools } from "./refuse-programs-of-tools.ts";

/** Returns when the person trusts what was shown; `what`: "these rules", `otherwise`: what holds if they do not. */
export async function confirmTrust(
  { options }: Arguments,
  { what, otherwise }: { readonly what: string; readonly otherwise: string },
): Promise<void> {
  refuseProgramsOfTools(`trust ${what}`);
  if (options.has("yes")) return;
  if (!canAsk(options)) {
    throw new ToolError("needs-approval", `Nobody can be asked here whether to trust ${what}`, {
      hint: "Read them, then add --yes.",
    });
  }
  const interruption = onInterruption();
  try {
    const answer = await readLine("Trust them? (y yes, n no) ", interruption.signal);
    if (/^\s*y(es)?\s*$/i.test(answer)) return;
    throw new ToolError("denied", "They stay untrusted", { hint: otherwise });
  } finally {
    interruption.stop();
  }
}
