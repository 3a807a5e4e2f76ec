import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig, userConfigFile } from "../../config/read-config.ts";
import type { PairingEvent } from "../../console/server/pairing.ts";
import { type ServedConsole, type ServedPairing, serveConsole } from "../../console/server/serve-console.ts";
import { ToolError } from "../../contract/error.ts";
import { userDirectories } from "../../system/directories.ts";
import { mayExist } from "../../system/policy-files.ts";
import { version } from "../../system/version.ts";
import { refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { interruptible } from "../interruption.ts";
import { openBrowser, removeLink } from "../open-browser.ts";
import { readPort } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { print, remark } from "../terminal.ts";
import { consoleCommands } from "./console-commands.ts";
import { openFleets } from "./open-fleets.ts";
import { pairAddress } from "./pair-address.ts";

/** Runs `toolcrib console` until Ctrl-C. */
export async function openConsole(given: Arguments): Promise<number> {
  refuseProgramsOfTools("open the console");
  const directories = userDirectories();
  const host = pairAddress(given);
  const served = await serveConsole({
    port: readPort(given, "port") ?? 0,
    version,
    directories,
    pageFolder,
    commands: consoleCommands,
    openFleets: () => openFleets(given.options),
    webhook: await webhookOf(directories.config),
    pair: host === undefined ? undefined : { host, onEvent: reportPairing },
  });
  return interruptible(async (signal) => {
    const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    const forget = announce(served, given, directories.state);
    await ended;
    forget();
    await served.close();
    return 0;
  });
}

/** Reads the setting from the user's own file, never from a project. */
async function webhookOf(configDirectory: string): Promise<string | undefined> {
  const file = userConfigFile(configDirectory);
  if (!mayExist(file)) return undefined;
  // The folder of the user's file is not a project.
  const { settings } = await readConfig({ workspace: configDirectory, configDirectory });
  const { value } = settings.find(({ setting }) => setting.key === "webhook") ?? {};
  if (value === undefined) return undefined;
  if (/^https?:\/\/[!-~]+$/.test(String(value))) return String(value);
  throw new ToolError("invalid-input", `webhook in ${file} must be an address, not "${value}"`, {
    hint: "For example: toolcrib config set webhook https://ntfy.sh/my-secret-topic",
  });
}

const pageFolder = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../dist/console" : "../console", import.meta.url),
);

/** Prints the address and opens the browser. Returns what to do at the end. */
function announce(served: ServedConsole, { options }: Arguments, state: string): () => void {
  const address = served.newAddress();
  const { pairing } = served;
  if (options.has("json")) {
    const pair = pairing && {
      url: pairing.address,
      code: pairing.newCode(),
      fingerprint: pairing.fingerprint,
    };
    printJson({ url: address, pair });
    return () => {};
  }
  print(`${address}\n`);
  if (pairing !== undefined) printPairing(pairing);
  const file = options.has("no-open") ? undefined : openBrowser(address, join(state, "console"));
  if (!process.stdin.isTTY) return () => removeLink(file);
  remark("The address works once. Enter prints a new one; Ctrl-C ends the console.\n");
  const onEnter = () => {
    print(`${served.newAddress()}\n`);
    if (pairing !== undefined) print(`Code for another device: ${pairing.newCode()}\n`);
  };
  process.stdin.on("data", onEnter);
  return () => {
    process.stdin.off("data", onEnter);
    process.stdin.pause();
    removeLink(file);
  };
}

function printPairing({ address, fingerprint, newCode }: ServedPairing): void {
  print(`\nOn another device: ${address}\nCode: ${newCode()} (once, within 5 minutes)\n`);
  // In two lines, which fit a phone's terminal too.
  const half = Math.ceil(fingerprint.length / 2);
  print(`Its certificate (SHA-256):\n${fingerprint.slice(0, half)}\n${fingerprint.slice(half)}\n\n`);
  remark("The other browser warns about the certificate: compare, then continue.\n");
}

function reportPairing({ type, address }: PairingEvent): void {
  remark(
    type === "paired"
      ? `The device ${address} is paired.\n`
      : `Too many wrong codes, the last from ${address}. Press Enter for a new code.\n`,
  );
}
