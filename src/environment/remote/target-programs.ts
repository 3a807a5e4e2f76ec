import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ToolError } from "../../contract/error.ts";
import { attempt } from "../../system/attempt.ts";
import { packageFile } from "../../system/package-file.ts";

/** The programs that run on a target. Each is one file. */
export interface TargetPrograms {
  /** Finds Node. */
  readonly bootstrap: string;
  /** Answers requests, and connects to the server of a session. */
  readonly attach: string;
  readonly server: FileToSend;
}

/** A file that is sent once, and then found by its hash. */
export interface FileToSend {
  readonly content: Uint8Array;
  readonly sha256: string;
}

/** Reads the programs from a folder. Default: those of this package. */
export function readTargetPrograms(folder?: string): TargetPrograms {
  const bootstrap = packageFile(import.meta.url, { source: "bootstrap.sh", built: "target/bootstrap.sh" });
  const built = (name: string) =>
    folder === undefined
      ? packageFile(import.meta.url, { source: `../../../dist/target/${name}`, built: `target/${name}` })
      : `${folder}/${name}`;
  const attach = attempt(() => readFileSync(built("attach.cjs"), "utf8"));
  const server = attempt(() => fileToSend(built("server.cjs")));
  if (attach === undefined || server === undefined)
    throw new ToolError("unavailable", "The programs for targets are not built", {
      hint: "Run: npm run build",
    });
  return { bootstrap: readFileSync(bootstrap, "utf8"), attach, server };
}

export function fileToSend(path: string): FileToSend {
  const content = readFileSync(path);
  return { content, sha256: createHash("sha256").update(content).digest("hex") };
}
