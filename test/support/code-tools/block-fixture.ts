import { readFileSync, writeFileSync } from "node:fs";
import { afterAll } from "vitest";
import { ToolError } from "../../../src/contract/error.ts";
import type { Tool, ToolOutput } from "../../../src/contract/tool.ts";
import { SeenMemory } from "../../../src/pipeline/seen-memory.ts";
import { codeFixture } from "../code-fixture.ts";
import type { Refusal, ToolFixture } from "../tool-fixture.ts";

interface Named {
  readonly path?: string | undefined;
}

type EditBlock<Result> = <Input extends Named>(
  tool: Tool<Input>,
  content: string | Uint8Array,
  input: Input,
) => Promise<Result>;

/** Calls on a new file named `input.path`, which the caller has not seen before. */
export interface BlockFixture {
  readonly opened: ToolFixture;
  answered<Input extends Named, Data>(
    tool: Tool<Input, Data>,
    content: string | Uint8Array,
    input: Input,
  ): Promise<ToolOutput<Data>>;
  /** The content of the file afterwards. */
  readonly edited: EditBlock<string>;
  readonly editedBytes: EditBlock<Buffer>;
  /** The error for the caller. The file must be unchanged. */
  readonly refused: EditBlock<Refusal>;
}

/** One fixture for all tests of a file, so that the code reader is started only once. */
export function blockFixture(): BlockFixture {
  const opened = codeFixture();
  afterAll(() => opened[Symbol.asyncDispose]());
  const answered: BlockFixture["answered"] = async (tool, content, input) => {
    writeFileSync(opened.at(input.path!), content);
    return tool.run(input, { ...opened.context, seen: new SeenMemory(opened.context.environment) });
  };
  const editedBytes: BlockFixture["editedBytes"] = async (tool, content, input) => {
    await answered(tool, content, input);
    return readFileSync(opened.at(input.path!));
  };
  return {
    opened,
    answered,
    editedBytes,
    edited: async (tool, content, input) => (await editedBytes(tool, content, input)).toString(),
    refused: async (tool, content, input) => {
      const error = await answered(tool, content, input).then(
        () => new Error(`${tool.name} did not fail`),
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof ToolError)) throw error;
      if (!readFileSync(opened.at(input.path!)).equals(Buffer.from(content)))
        throw new Error("The file has changed");
      const { code, message, hint } = error;
      return { code, message, hint };
    },
  };
}
