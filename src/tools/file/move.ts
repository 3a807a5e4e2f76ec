import * as z from "zod/mini";
import type { Environment, FileKind } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { flag } from "../fields.ts";

export interface FileMoveData {
  readonly from: string;
  readonly to: string;
  readonly kind: FileKind;
  readonly replaced: boolean;
}

const input = z.strictObject({
  from: z.string(),
  to: z.string().check(z.describe("The full new path.")),
  replace: flag("Overwrite an existing file."),
});

export const fileMove: Tool<z.infer<typeof input>, FileMoveData> = {
  name: "file.move",
  description: "Move or rename a file, link or directory.",
  risk: "destructive",
  input,
  limits: { maxChars: 1000, keep: "both" },
  // A move can be undone, so only replacing a file counts as a deletion.
  accesses: ({ from, to, replace = false }) => [
    { kind: "write", path: from, link: "itself" },
    { kind: "write", path: to, link: "itself" },
    ...(replace ? [{ kind: "delete", path: to } as const] : []),
  ],

  preview: async ({ from, to }, { environment }) => {
    const { kind } = await environment.info(from, { followLinks: false });
    const target = await kindAt(to, environment);
    return `Would move ${describeMove({ from, to, kind, replaced: target !== undefined })}`;
  },

  async run({ from, to, replace = false }, { environment, signal }) {
    const { kind } = await environment.info(from, { followLinks: false });
    const target = await kindAt(to, environment);
    await environment.move(from, to, { replace, signal }).catch((error) => {
      const isInTheWay = error instanceof ToolError && error.code === "already-exists";
      throw isInTheWay && target === "directory" ? ontoDirectory(from, to) : error;
    });
    const data = { from, to, kind, replaced: target !== undefined };
    return { data, text: `Moved ${describeMove(data)}` };
  },
};

function describeMove({ from, to, kind, replaced }: FileMoveData): string {
  return `the ${nouns[kind]} ${from} to ${to}${replaced ? ", replacing the existing file" : ""}.`;
}

const nouns = { file: "file", directory: "directory", link: "link", other: "special file" } as const;

async function kindAt(path: string, environment: Environment): Promise<FileKind | undefined> {
  try {
    return (await environment.info(path, { followLinks: false })).kind;
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw error;
  }
}

function ontoDirectory(from: string, to: string): ToolError {
  const inside = `${to.replace(/\/+$/, "")}/${from.split("/").findLast((part) => part !== "") ?? from}`;
  return new ToolError("already-exists", `${to} is a directory`, {
    hint: `Give the full new path, for example ${inside}.`,
  });
}
