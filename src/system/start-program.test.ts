import { once } from "node:events";
import { expect, it } from "vitest";
import { outputOfProgram, startProgram } from "./start-program.ts";

it("refuses a program without an absolute path, because the PATH may contain folders of a project", async () => {
  expect(() => startProgram("sh", ["-c", "true"], { env: {} })).toThrow('"sh" is not an absolute path');
  await expect(outputOfProgram("../sh", [], { env: {} })).rejects.toThrow('"../sh" is not an absolute path');
});

it("starts a program by its path", async () => {
  const [code] = await once(startProgram("/bin/sh", ["-c", "exit 3"], { env: {} }), "exit");
  expect(code).toBe(3);
  expect(await outputOfProgram("/bin/sh", ["-c", "echo $A"], { env: { A: "one" } })).toBe("one\n");
});
