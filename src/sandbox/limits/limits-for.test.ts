import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { limitsFor } from "./limits-for.ts";

// The free space of a real disk changes during the test.
const nowhere = "/there is no such directory";
const usual = limitsFor({}, nowhere);

it("defaults to limits that builds do not reach", () => {
  const { cpuSeconds, memoryBytes, processes, fileBytes, outputBytes } = limitsFor({}, tmpdir());
  expect({
    cpu: cpuSeconds >= 24 * 3600,
    memory: memoryBytes > 0,
    processes: processes >= 4096,
    file: fileBytes >= 10 * 1024 ** 3,
    output: outputBytes,
  }).toEqual({ cpu: true, memory: true, processes: true, file: true, output: 10 * 1024 ** 3 });
});

it("uses the limits of rules instead", () => {
  const limits = { memoryBytes: 2 ** 50, processes: 7 };
  expect(limitsFor({ limits }, nowhere)).toEqual({ ...usual, ...limits });
});

it("lets untrusted rules only lower the limits", () => {
  const limits = { cpuSeconds: 60, fileBytes: 1000 };
  const limitsAtMost = { cpuSeconds: 3600, fileBytes: 10, outputBytes: 5, processes: 2 ** 50 };
  expect(limitsFor({ limits, limitsAtMost }, nowhere)).toEqual({
    ...usual,
    cpuSeconds: 60,
    fileBytes: 10,
    outputBytes: 5,
  });
});
