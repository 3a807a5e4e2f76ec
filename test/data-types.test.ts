/** @module-tag slow */
import { expect, it } from "vitest";
import { readDataTypes } from "../scripts/data-types.ts";
import { dataTypes } from "../src/script/data-types.ts";

it("src/script/data-types.ts matches the output of node scripts/data-types.ts", () => {
  expect(readDataTypes()).toEqual(dataTypes);
});
