import * as z from "zod/mini";
import type { ProcessStatus } from "../../contract/process.ts";
import type { Tool } from "../../contract/tool.ts";
import { describeProcess } from "./describe-process.ts";

export type ProcessListInput = Readonly<Record<string, never>>;

export interface ProcessListData {
  readonly processes: readonly ProcessStatus[];
}

export const processList: Tool<ProcessListInput, ProcessListData> = {
  name: "process.list",
  description: "List the processes and shells of this session.",
  risk: "read",
  input: z.strictObject({}),
  limits: { maxChars: 10_000, keep: "both" },
  accesses: () => [],

  async run(_input, context) {
    const processes = await context.processes.list();
    const lines = processes.map((status) => `${describeProcess(status)} ${showCommand(status.command)}`);
    return {
      data: { processes },
      text: lines.join("\n") || "No processes. Start one with process.start.",
    };
  },
};

function showCommand(command: string): string {
  const [first = "", ...others] = command.trim().split("\n");
  const shown = first.length > maxCommandChars ? `${first.slice(0, maxCommandChars)}…` : first;
  return `Command: ${shown}${others.length > 0 ? " …" : ""}`;
}

const maxCommandChars = 200;
