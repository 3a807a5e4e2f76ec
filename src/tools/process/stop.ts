import * as z from "zod/mini";
import type { ProcessStatus } from "../../contract/process.ts";
import type { Tool } from "../../contract/tool.ts";
import { surroundingsOf } from "../shell/describe-run.ts";
import { describeProcess, nameField } from "./describe-process.ts";

const input = z.strictObject({ name: nameField });

export const processStop: Tool<z.infer<typeof input>, ProcessStatus> = {
  name: "process.stop",
  description: "Stop a process or shell and everything it started.",
  risk: "read",
  hints: { readOnly: false, idempotent: true },
  input,
  limits: { maxChars: 10_000, keep: "tail" },
  accesses: () => [],

  async run({ name }, { processes }) {
    const data = await processes.stop(name);
    return { data, text: [describeProcess(data), ...surroundingsOf(data)].join("\n") };
  },
};
