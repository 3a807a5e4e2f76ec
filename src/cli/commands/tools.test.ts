import { expect, it } from "vitest";
import { dialectNames } from "../../dialects/dialects.ts";
import { findAnyTool } from "../../dialects/find-tool.ts";
import { dialectHere } from "../options.ts";
import { describeTools } from "./tools.ts";

it.each(dialectNames)(
  "lists names that `toolcrib call --dialect %s` takes as the same tools",
  async (name) => {
    const dialect = await dialectHere(name);
    const listed = (await describeTools(name)).trimEnd().split("\n");
    const taken = listed.map((line) => findAnyTool(dialect, line.split(/\s/, 1)[0]!));
    const [names, own] = await Promise.all(
      [taken, dialect.tools].map((tools) => Promise.all(tools.map(async (tool) => (await tool.load()).name))),
    );
    expect(names).toEqual(own);
  },
);
