import type { AnyTool, ToolOutput } from "../contract/tool.ts";
import type { ResolvedCall } from "./dialect.ts";

/** What a dialect says instead of the canonical tool's text. */
export type Answer =
  | string
  | (Pick<ToolOutput, "text"> &
      Partial<Omit<ToolOutput, "data" | "continuation">> & {
        /** Undefined takes back what the tool says of the rest. */
        readonly continuation?: string | undefined;
      });

/** Puts what a tool gives into a dialect's words; `given` are the arguments in the dialect. */
export type Answering<Data, Given> = (output: ToolOutput<Data>, given: Given) => Answer;

/** The same call, answered in the words of a dialect. */
export function answerWith<Given>(
  call: ResolvedCall,
  // biome-ignore lint/suspicious/noExplicitAny: whose data it is the dialect has checked
  answer: Answering<any, Given> | undefined,
  given: Given,
): ResolvedCall {
  if (answer === undefined) return call;
  const { tool } = call;
  const answered: AnyTool = {
    ...tool,
    run: async (input, context) => reword(await tool.run(input, context), answer, given),
  };
  return { ...call, tool: answered };
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function reword<Given>(output: ToolOutput, answer: Answering<any, Given>, given: Given): ToolOutput {
  const said = answer(output, given);
  if (typeof said === "string") return { ...output, text: said };
  const { continuation, ...others } = { ...output, ...said };
  return { ...others, ...(continuation !== undefined && { continuation }) };
}
