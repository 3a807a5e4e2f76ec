import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { agentName } from "./headers.ts";

it("contains the released version", () => {
  const { name, version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(agentName).toBe(`${name}/${version}`);
});
