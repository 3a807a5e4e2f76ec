import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { dataPath } from "../data/data.ts";
import type { Case, Contender, Group } from "../harness.ts";
import { fileSystemServer, piTool } from "../peers.ts";
import { openSubject } from "../subject.ts";

const workspace = dataPath("write");

/** Each contender repeatedly replaces its own file of 10 KB. */
export const group: Group = {
  needs: [],
  cases: [
    {
      ...writing({ durable: false }),
      goals: [{ measure: "p50Ms", timesReference: 1.25 }],
    },
    {
      ...writing({ durable: true }),
      goals: [{ measure: "p50Ms", timesReference: 1.1 }],
    },
  ],
};

function writing({ durable }: { durable: boolean }): Omit<Case, "goals"> {
  return {
    name: durable ? "replace a file of 10 KB, with fdatasync" : "replace a file of 10 KB, without fdatasync",
    about: `The environment's race-safe write against the same steps by hand: temporary file, ${durable ? "fdatasync, " : ""}rename.`,
    rounds: 30,
    lapsPerRound: 100,
    contenders: {
      "temp + rename by hand": () =>
        replacing("by-hand", async (file) => ({
          write: ({ bytes }) => writeByHand(file, bytes, { durable, keepMode: false }),
        })),
      "by hand, mode kept": () =>
        replacing("by-hand-mode", async (file) => ({
          write: ({ bytes }) => writeByHand(file, bytes, { durable, keepMode: true }),
        })),
      toolcrib: () =>
        replacing("toolcrib", async (file) => {
          const environment = openLocalEnvironment({ workspace });
          return {
            write: ({ bytes }) => environment.writeFile(file, bytes, { durable }),
            close: () => environment.close(),
          };
        }),
      ...(durable ? { "toolcrib, by file.write": writeByTool } : { "server-filesystem": writeByServer }),
      ...(durable ? {} : { "pi-coding-agent (in place)": writeByPi }),
    },
  };
}

function writeByHand(
  file: string,
  bytes: Uint8Array,
  { durable, keepMode }: { durable: boolean; keepMode: boolean },
): void {
  const temporary = `${file}.${process.pid}.tmp`;
  const old = keepMode ? statSync(file, { throwIfNoEntry: false }) : undefined;
  const handle = openSync(temporary, "wx", old?.mode);
  writeSync(handle, bytes);
  if (durable) fdatasyncSync(handle);
  closeSync(handle);
  renameSync(temporary, file);
}

function writeByTool(): Promise<Contender> {
  return replacing("file-write", async (path) => {
    const subject = await openSubject({ workspace });
    return { write: ({ text }) => subject.call("file.write", { path, content: text }), close: subject.close };
  });
}

function writeByServer(): Promise<Contender> {
  return replacing("server-filesystem", async (file) => {
    const { validatePath, writeFileContent } = await fileSystemServer(workspace);
    return { write: async ({ text }) => writeFileContent(await validatePath(file), text) };
  });
}

function writeByPi(): Promise<Contender> {
  return replacing("pi", async (path) => {
    const write = await piTool("write", workspace);
    return { write: async ({ text }) => void (await write({ path, content: text })) };
  });
}

interface Content {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Alternates between two texts, because writing the current content could be skipped. */
async function replacing(
  name: string,
  open: (file: string) => Promise<{ write: (content: Content) => unknown; close?: () => unknown }>,
): Promise<Contender> {
  const folder = join(workspace, name, "src");
  mkdirSync(folder, { recursive: true });
  const { write, ...rest } = await open(join(folder, "file.txt"));
  let lap = 0;
  return { ...rest, run: () => write(contents[lap++ % contents.length]!) };
}

const contents = ["All work and no play makes Jack dull.\n", "Two can play that game, said Jill.\n"]
  .map((line) => line.repeat(300).slice(0, 10_240))
  .map((text) => ({ text, bytes: Buffer.from(text) }));
