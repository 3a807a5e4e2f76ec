import type { ShellRunData } from "../../tools/shell/run.ts";

/** What a command said, on both streams in the order it came. */
export function saidBy({ stdout, stderr, together }: ShellRunData): string {
  return (together ?? `${stdout}${stderr}`).replace(/\n$/, "");
}

/** What else is worth knowing, a line each. */
export function remarksOf({
  remarks,
  sandbox,
}: Pick<ShellRunData, "remarks" | "sandbox">): readonly string[] {
  return [
    ...remarks.map((remark) => `[${remark}]`),
    ...(sandbox === "bwrap" ? [] : [`[sandbox: ${sandbox}]`]),
  ];
}
