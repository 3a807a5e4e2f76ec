import { expect, it } from "vitest";
import { describeMetLimit, limitOfSignal } from "./met-limit.ts";

it("says how much was used, and the rule that allows more", () => {
  const gigabyte = 1024 ** 3;
  expect([
    describeMetLimit({ limit: "memoryBytes", allowed: 17 * gigabyte, used: 17.2 * gigabyte, wasEnded: true }),
    describeMetLimit({ limit: "memoryBytes", allowed: 0.7 * gigabyte, used: 0.8 * gigabyte, wasEnded: true }),
    describeMetLimit({ limit: "cpuSeconds", allowed: 86_400, used: 86_401, wasEnded: true }),
    describeMetLimit({ limit: "cpuSeconds", allowed: 90, wasEnded: false }),
    describeMetLimit({ limit: "processes", allowed: 4096, used: 5000, wasEnded: true }),
    describeMetLimit({ limit: "processes", allowed: 1, wasEnded: false }),
    describeMetLimit({ limit: "fileBytes", allowed: 1000, wasEnded: false }),
    describeMetLimit({
      limit: "outputBytes",
      allowed: 10 * gigabyte,
      used: 10.001 * gigabyte,
      wasEnded: true,
    }),
  ]).toEqual([
    "It was ended at a limit: with all that it started it used 17.2 GB of memory, and may use 17 GB. The rule `limit memory 34GB` allows more.",
    "It was ended at a limit: with all that it started it used 819.2 MB of memory, and may use 716.8 MB. The rule `limit memory 2GB` allows more.",
    "It was ended at a limit: with all that it started it used 24 hours of CPU time, and may use 24 hours. The rule `limit cpu 48h` allows more.",
    "It met a limit: a program used 90 s of CPU time. The rule `limit cpu 3m` allows more.",
    "It was ended at a limit: it had 5000 processes and threads at once, and may have 4096. The rule `limit processes 8192` allows more.",
    "It met a limit: it could not have more than 1 process and threads. The rule `limit processes 2` allows more.",
    "It met a limit: a file could not become larger than 1000 bytes. The rule `limit file 2000B` allows more.",
    "It was ended at a limit: it printed 10 GB, and may print 10 GB. The rule `limit output 20GB` allows more.",
  ]);
});

it("knows the limits of the kernel by how a program has ended", () => {
  const ends = [
    { code: undefined, signal: "SIGXCPU" },
    { code: 152, signal: undefined },
    { code: undefined, signal: "SIGXFSZ" },
    { code: 153, signal: undefined },
    { code: 1, signal: undefined },
    { code: undefined, signal: "SIGKILL" },
  ];
  expect(ends.map(limitOfSignal)).toEqual([
    "cpuSeconds",
    "cpuSeconds",
    "fileBytes",
    "fileBytes",
    undefined,
    undefined,
  ]);
});
