import { closeSync, openSync, readSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { asToolError } from "../../system/file-errors.ts";
import { textIn } from "./attach-protocol.ts";
import type { Target } from "./target.ts";
import { fileToSend } from "./target-programs.ts";
import { type Answer, connectMsOf, sendMsOf, Transport, type TransportOptions } from "./transport.ts";

/** The error for a target without a usable Node. */
export function noNode({ name }: Target, { system, machine, unfit }: Answer): ToolError {
  const old =
    typeof unfit === "string" && unfit !== ""
      ? ` It has Node ${plain(unfit.trim().replaceAll(" ", ", "), 100)}.`
      : "";
  const platform = `${plain(system, 20)} on ${plain(machine, 20)}`;
  return new ToolError("unavailable", `${name} has no Node 22.18 or newer.${old}`, {
    hint: "Ask the user to install Node there.",
    forUser: {
      hint: `Install Node there, or send one: --upload-node FILE (the executable "node" for ${platform}, from https://nodejs.org).`,
    },
    details: { kind: "missing-program" },
  });
}

/** The target may be hostile, and these texts are shown to users and models. */
function plain(value: unknown, maxChars: number): string {
  return printableLine(textIn(value).slice(0, maxChars));
}

/** Sends a Node executable to the target, where later connections find it. */
export async function uploadNode(
  target: Target,
  { file, bootstrap, report }: { file: string; bootstrap: string; report: (message: string) => void },
  options: TransportOptions,
): Promise<void> {
  const { content, sha256 } = readNode(file);
  const variables = { upload: sha256, size: "0", minimum: "0" };
  const transport = await Transport.start(target, bootstrap, variables, options);
  try {
    const { kind, gzip, machine } = await transport.within(connectMsOf(options), () => transport.answer());
    if (kind !== "send") throw notStored(target, file);
    checkMachine(file, content, plain(machine, 20));
    const bytes = gzip === true ? gzipSync(content, { level: 4 }) : content;
    report(`Sending Node to ${target.name}, ${Math.ceil(bytes.length / 1_000_000)} MB`);
    transport.write(bytes);
    transport.endInput();
    const { kind: result } = await transport.within(sendMsOf(bytes.length, options), () =>
      transport.answer(),
    );
    if (result !== "stored") throw notStored(target, file);
  } finally {
    transport.destroy();
  }
}

function readNode(file: string): ReturnType<typeof fileToSend> {
  try {
    const handle = openSync(file, "r");
    const start = Buffer.alloc(4);
    readSync(handle, start);
    closeSync(handle);
    if (start.toString("latin1") === "\x7fELF" || start.readUInt32LE() === machO) return fileToSend(file);
  } catch (error) {
    const { code, message } = asToolError(error, file);
    throw new ToolError(code, message, { hint: nodeFile });
  }
  throw new ToolError("invalid-input", `${file} is not an executable for Linux or macOS`, {
    hint: nodeFile,
  });
}

const nodeFile = "Use the file bin/node of a Node archive for the target's platform.";
const machO = 0xfeedfacf;

/** ELF names the processor at byte 18. */
function checkMachine(file: string, content: Uint8Array, machine: string): void {
  const found = processors[(content[18] ?? 0) + 256 * (content[19] ?? 0)];
  if (content[0] !== 0x7f || found === undefined || found.includes(machine)) return;
  throw new ToolError("invalid-input", `${file} is for ${found[0]}, and the target is ${machine}`, {
    hint: `Use a Node for ${machine}.`,
  });
}

const processors: Partial<Record<number, readonly string[]>> = {
  62: ["x86_64", "amd64"],
  183: ["aarch64", "arm64"],
};

function notStored({ name }: Target, file: string): ToolError {
  return new ToolError("unavailable", `${file} does not run on ${name}, or could not be stored there`, {
    hint: "Use a Node for the target's platform and C library, and check that its home directory has room.",
  });
}
