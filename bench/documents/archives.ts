import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { makeZip } from "../../test/support/documents/make-zip.ts";
import type { DocumentCases } from "../groups/documents.ts";
import type { Contender } from "../harness.ts";
import { documentPath, readContender } from "./read-contender.ts";

const run = promisify(execFile);

export const archives: DocumentCases = {
  prepare: () => {
    const entries = Array.from({ length: 5000 }, (_, number) => ({
      name: `folder ${number % 50}/file ${number}.txt`,
      content: `Content ${number}. `.repeat(20),
    }));
    writeFileSync(documentPath("many.zip"), makeZip(entries));
    writeFileSync(documentPath("small.txt"), "Hello, reader. ".repeat(200));
  },
  cases: [
    {
      name: "list a ZIP archive of 5000 entries",
      about: "`unzip -l` against document.read, whose host has to be given the whole archive.",
      rounds: 15,
      lapsPerRound: 5,
      goals: [{ measure: "cpuMs", timesReference: 1.5 }],
      contenders: {
        "unzip -l": () => listWithUnzip(),
        toolcrib: () => readContender("many.zip"),
      },
    },
    {
      name: "read 3 KB of text, in another process",
      about: "What the way to the host and back costs.",
      rounds: 20,
      lapsPerRound: 50,
      goals: [{ measure: "p50Ms", atMostUs: 5000 }],
      contenders: {
        readFileSync: () => ({
          run: () => readFileSync(documentPath("small.txt"), "utf8").match(/\w+/g)!.length,
        }),
        toolcrib: () => readContender("small.txt"),
      },
    },
  ],
};

function listWithUnzip(): Contender {
  return {
    run: async () => {
      const { stdout } = await run("unzip", ["-l", documentPath("many.zip")], { maxBuffer: 2 ** 26 });
      return stdout.match(/\w+/g)!.length;
    },
  };
}
