import { fileURLToPath } from "node:url";
import { ToolError } from "../../../src/contract/error.ts";
import { type Answer, type Call, type Engine, Refusal } from "../task.ts";

/** The default path of the engine. */
const ownEngine = fileURLToPath(new URL("../../../src/edit/plan-edits.ts", import.meta.url));

/** The engine behind the edit tools, without the tools: files in, files out. */
export async function openToolcrib(module: string = ownEngine): Promise<Engine> {
  const { planEdits } = (await import(module)) as { planEdits: PlanEdits };
  return {
    name: "toolcrib",
    forms: ["edit", "v4a", "udiff"],
    apply(call, files) {
      try {
        return answerOf(planEdits(requestOf(call), (path) => files.get(path)));
      } catch (error) {
        // Recognizes Toolcrib's errors by name, because the engine may be from another checkout, with its own class.
        if (!(error instanceof ToolError) && (error as Error).name !== "ToolError") throw error;
        return new Refusal((error as Error).message);
      }
    },
  };
}

type PlanEdits = (request: object, read: (path: string) => Uint8Array | undefined) => readonly Plan[];

interface Plan {
  readonly path: string;
  readonly action: "add" | "update" | "delete" | "move" | "copy";
  readonly from?: string;
  readonly after?: Uint8Array;
}

function requestOf(call: Call): object {
  if (call.form === "edit") return { kind: "replace", path: call.path, edits: call.edits };
  return call.form === "v4a" ? { kind: "patch", patch: call.text } : { kind: "diff", diff: call.text };
}

function answerOf(plans: readonly Plan[]): Answer {
  const files = new Map<string, Uint8Array | undefined>();
  for (const { action, path, from, after } of plans) {
    if (action === "move") files.set(from!, undefined);
    files.set(path, after);
  }
  return files;
}
