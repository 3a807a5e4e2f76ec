import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "./data.ts";
import { Random } from "./random.ts";
import { rareWord, words } from "./source-text.ts";

export const logFile = "server.log";
export const longLineFile = "bundle.min.js";

const logBytes = 1_000_000_000;
const longLineBytes = 200_000_000;

/** A log of 1 GB in lines of about 130 bytes. */
export function writeLog(root: string, progress: Progress): void {
  const random = new Random(2);
  const messages = Array.from({ length: 5000 }, () => logMessage(random));
  let line = 0;
  writeUntil(join(root, logFile), logBytes, progress, () => {
    line++;
    const time = new Date(1_767_225_600_000 + line * 37).toISOString();
    return `${time} ${String(line).padStart(9, "0")} ${random.pick(messages)}\n`;
  });
}

/** 200 MB without a line end, like a minified program, with the rare word in the middle. */
export function writeLongLine(root: string, progress: Progress): void {
  const random = new Random(3);
  let written = 0;
  let placed = false;
  writeUntil(join(root, longLineFile), longLineBytes, progress, () => {
    const isMiddle = !placed && written > longLineBytes / 2;
    placed ||= isMiddle;
    const name = isMiddle ? rareWord : random.pick(words);
    const piece = `var ${name}=${random.pick(words)}(${random.below(1000)},"${random.pick(words)}");`;
    written += piece.length;
    return piece;
  });
}

function logMessage(random: Random): string {
  const level = random.pick(["INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"]);
  const path = `/${random.pick(words)}/${random.pick(words)}/${random.below(100_000)}`;
  const message = `${level} [worker-${random.below(32)}] GET ${path} 200 ${random.below(900)}ms `;
  return message + `${random.pick(words)}=${random.pick(words)} `.repeat(8).slice(0, 94 - message.length);
}

function writeUntil(file: string, bytes: number, progress: Progress, next: () => string): void {
  mkdirSync(join(file, ".."), { recursive: true });
  const handle = openSync(file, "w");
  try {
    let written = 0;
    while (written < bytes) {
      let chunk = "";
      while (chunk.length < 4_000_000 && written + chunk.length < bytes) chunk += next();
      written += writeSync(handle, chunk, null, "latin1");
      progress(`${Math.round(written / 1e6)} of ${bytes / 1e6} MB`);
    }
  } finally {
    closeSync(handle);
  }
}
