import { expect, it } from "vitest";
import { describeMetLimit, limitOfSignal } from "./met-limit.ts";

it("reports how much was used, and the rule that allows more", () => {
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
    "The command was ended at its memory limit: 17.2 GB used, 17 GB allowed. The rule `limit memory 34GB` allows more.",
    "The command was ended at its memory limit: 819.2 MB used, 716.8 MB allowed. The rule `limit memory 2GB` allows more.",
    "The command was ended at its CPU time limit: 24 hours used, 24 hours allowed. The rule `limit cpu 48h` allows more.",
    "The command reached its CPU time limit: 90 s. The rule `limit cpu 3m` allows more.",
    "The command was ended at its process and thread limit: 5000 used, 4096 allowed. The rule `limit processes 8192` allows more.",
    "The command reached its process and thread limit: 1. The rule `limit processes 2` allows more.",
    "The command reached its file size limit: 1000 bytes. The rule `limit file 2000B` allows more.",
    "The command was ended at its output limit: 10 GB used, 10 GB allowed. The rule `limit output 20GB` allows more.",
  ]);
});

it("detects kernel limits from how a program ended", () => {
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
