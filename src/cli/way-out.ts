import { toCommandLine } from "../lib/shell-quote.ts";
import { kindOfHost } from "../policy/hosts.ts";
import type { Mode } from "../policy/policy.ts";
import type { CallResult } from "../toolcrib/index.ts";

/** What only a person may do about a refusal, so that models are not told. */
export function wayOut({ code, details }: NonNullable<CallResult["error"]>, mode: Mode): string {
  if (code === "needs-approval" && details?.kind === "no-sandbox" && mode !== "paranoid") return bareWayOut;
  if (code === "needs-approval")
    return (details?.kind === "connects" && nearWayOut(details.host, mode)) || waysToAllow[mode];
  if (details?.kind !== "secret-path") return "";
  return `To open it, add ${toCommandLine(["--rule", `open ${details.path}`])}, or put that line into your own rules (toolcrib paths).\n`;
}

/** Rules that allow do not count where the mode asks about everything, or only about what is refused otherwise. */
const waysToAllow: Readonly<Record<Mode, string>> = {
  paranoid: "To allow it yourself, answer on a terminal, or choose another --mode.\n",
  safe: "To allow it yourself, answer on a terminal, or add a rule (--rule 'allow …') or --mode yolo.\n",
  cautious: "To allow it yourself, answer on a terminal, or add a rule (--rule 'allow …') or --mode yolo.\n",
  yolo: "To allow it yourself, answer on a terminal.\n",
};

const bareWayOut =
  "To allow it yourself, answer on a terminal, or get a sandbox (toolcrib doctor tells how), or add two rules " +
  "(--rule 'allow run …' --rule 'unconfined run …') or --mode yolo.\n";

/** No mode lets a call connect to what is not on the internet: only a rule that names it does, or a person. */
function nearWayOut(host: string, mode: Mode): string | undefined {
  const kind = kindOfHost(host);
  if (kind === undefined || kind === "public" || mode === "paranoid") return undefined;
  return `To allow it yourself, answer on a terminal, or add ${toCommandLine(["--rule", `allow connect ${host}`])}.\n`;
}
