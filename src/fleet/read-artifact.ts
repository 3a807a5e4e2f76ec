import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ConversationEntry } from "../contract/conversations.ts";
import { ToolError } from "../contract/error.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { attempt, statsAt } from "../system/attempt.ts";
import { allWorkspaceFiles } from "../system/directories.ts";
import { contentAt } from "../system/pinned-path.ts";
import { redactValue, WorkspaceJournal } from "../toolcrib/workspace-journal.ts";
import type { Run } from "./fleet.ts";
import { RunFolder } from "./work/run-folder.ts";

/**
 * Reads an artifact of an ended run: from a folder of this machine, or from S3 with the credentials of this process.
 * Returns undefined for one that is missing, a link, not listed in the result, or on another machine. Throws `too-large`
 * and `unavailable` for S3.
 */
export async function readArtifact(run: Run, name: string, maxBytes: number): Promise<Buffer | undefined> {
  const address = artifactAddress(run);
  if (address === undefined || !listedArtifacts(run).includes(name)) return undefined;
  if (!isRemote(address)) {
    const bytes = attempt(() => contentAt(join(address, name), maxBytes));
    return bytes && Buffer.from(bytes);
  }
  const { S3Artifacts } = await import("./artifacts/s3-artifacts.ts");
  return new S3Artifacts(address, process.env, maxBytes).read(address, name);
}

/** The artifacts that this machine can try to read. */
export function readableArtifacts(run: Run): readonly string[] {
  const address = artifactAddress(run);
  if (address === undefined) return [];
  return isRemote(address) || statsAt(address)?.isDirectory() ? listedArtifacts(run) : [];
}

/**
 * Returns the folder or address of a run's artifacts. It names the run: a row of a shared database must not lead to other
 * files.
 */
function artifactAddress({ id, result }: Run): string | undefined {
  const address = result?.artifacts ?? "";
  const parts = address.split("/");
  if (!/^run_\w+$/.test(id) || !parts.includes(id) || parts.includes("..")) return undefined;
  return address.startsWith("/") || isRemote(address) ? address : undefined;
}

function isRemote(address: string): boolean {
  return /^s3:\/\//i.test(address);
}

/** Names come from the database, too. */
function listedArtifacts({ result }: Run): readonly string[] {
  return (result?.artifactNames ?? []).filter((name) => /^[A-Za-z0-9][\w.-]{0,99}$/.test(name));
}

/** Reads an artifact of an ended run; empty when the run has no such artifact. */
export async function readRunFile(run: Run, name: string): Promise<Buffer> {
  const { artifacts = null, artifactNames = [] } = run.result ?? {};
  if (artifacts === null || !artifactNames.includes(name)) return Buffer.alloc(0);
  const found = await readArtifact(run, name, maxArtifactBytes);
  if (found !== undefined) return found;
  throw new ToolError("unavailable", `${name} of ${run.id} cannot be read.`, {
    hint: `Run this on the machine that has ${artifacts}.`,
  });
}

const maxArtifactBytes = 256 * 1024 * 1024;

/** Returns the conversation of a run: from its artifacts, or as far as its worker on this machine has come. */
export async function conversationOf(run: Run, workFolder: string): Promise<readonly ConversationEntry[]> {
  const kept = (await readRunFile(run, "session.jsonl")).toString();
  if (kept !== "")
    return kept.split("\n").map(tryParseJson).filter(isRecord) as unknown as ConversationEntry[];
  const [files] = allWorkspaceFiles(new RunFolder(workFolder, run).state);
  if (run.session !== null && files !== undefined && existsSync(files.journal)) {
    const journal = new WorkspaceJournal({ files });
    try {
      return journal.conversations
        .entries(run.session)
        .map((kept) => ({ ...kept, entry: redactValue(kept.entry) }));
    } finally {
      journal.close();
    }
  }
  throw new ToolError("not-found", `No conversation of ${run.id} is on this machine`, {
    hint:
      run.session === null
        ? "The run has not started."
        : "Run this on the worker's machine, with its --folder.",
  });
}
