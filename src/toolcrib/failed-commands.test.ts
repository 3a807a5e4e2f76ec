import { describe, expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";

const shells = {
  toolcrib: { name: "shell_run", input: { command: "exit 3" } },
  openai: { name: "shell", input: { command: "exit 3" } },
  anthropic: { name: "shell", input: { command: "exit 3" } },
  gemini: { name: "shell", input: { command: "exit 3" } },
  omega: { name: "bash", input: { command: "exit 3" } },
  rustant: { name: "shell_exec", input: { command: "exit 3" } },
  surgical: { name: "shell", input: { command: "exit 3" } },
  "claude-code": { name: "Bash", input: { command: "exit 3" } },
} as const;

/** The commands of these programs never fail for their models. */
const withoutErrors = {
  codex: { name: "exec_command", input: { cmd: "exit 3" } },
  "gemini-cli": { name: "run_shell_command", input: { command: "exit 3" } },
} as const;

describe("a command that ends with another code than 0", () => {
  it.each(Object.entries(shells))("is an error in the dialect %s, with the reason", async (dialect, call) => {
    await using made = await temporaryToolcrib({ mode: "yolo", dialect });
    const { isError, error, failed } = await made.crib.call(call.name, call.input);
    expect({ isError, error, failed }).toEqual({ isError: true, error: null, failed: "Exit code 3." });
  });

  it.each(Object.entries(withoutErrors))(
    "is an output for models of %s, with the reason for programs",
    async (dialect, call) => {
      await using made = await temporaryToolcrib({ mode: "yolo", dialect });
      const { isError, error, failed } = await made.crib.call(call.name, call.input);
      expect({ isError, error, failed }).toEqual({ isError: false, error: null, failed: "Exit code 3." });
    },
  );

  it("is an error when a call waits for its end", async () => {
    await using made = await temporaryToolcrib({ mode: "yolo" });
    const started = await made.crib.call("process.start", {
      command: "exit 3",
      name: "job",
      wait_ms: 60_000,
    });
    const waited = await made.crib.call("process.wait", { name: "job" });
    const read = await made.crib.call("process.output", { name: "job" });
    expect([started, waited, read].map(({ isError, failed }) => ({ isError, failed }))).toEqual([
      { isError: true, failed: "Exit code 3." },
      { isError: true, failed: "Exit code 3." },
      { isError: false, failed: undefined },
    ]);
  });

  it("is reported with its event and in the log", async () => {
    await using made = await temporaryToolcrib({ mode: "yolo" });
    const ends: boolean[] = [];
    made.crib.events.on((event) => event.type === "tool-end" && ends.push(event.isError));
    await made.crib.call("shell.run", { command: "exit 3" });
    await made.crib.call("shell.run", { command: "exit 0" });
    const logged = made.crib.log().map(({ outcome, message }) => ({ outcome, message }));
    expect({ ends, logged }).toEqual({
      ends: [true, false],
      logged: [
        { outcome: "ok", message: null },
        { outcome: "ok", message: "Exit code 3." },
      ],
    });
  });
});

it("names the failure of a tool that reports none", async () => {
  const tools = [
    {
      name: "count_words",
      description: "Count words.",
      risk: "read" as const,
      run: () => ({ text: "No words.", data: null, isError: true }),
    },
  ];
  await using made = await temporaryToolcrib({ tools });
  const { isError, failed, error } = await made.crib.call("count_words", {});
  expect({ isError, failed, error }).toEqual({
    isError: true,
    failed: "The tool reported a failure",
    error: null,
  });
});
