import { expect, it } from "vitest";
import { ToolError } from "../../contract/error.ts";
import { commandsOnTarget, errorOnTarget } from "./commands-on-target.ts";

const target = "ssh:build:/srv/my app";
const flag = "--target 'ssh:build:/srv/my app'";

it.each([
  ["Use a call id from: toolcrib log", `Use a call id from: toolcrib log ${flag}`],
  [
    "Find it with: toolcrib log. The latest call: toolcrib log show last",
    `Find it with: toolcrib log ${flag}. The latest call: toolcrib log show last ${flag}`,
  ],
  ["Run: toolcrib undo call_0a1b", `Run: toolcrib undo call_0a1b ${flag}`],
  [
    "To see the rule, run: toolcrib policy explain 'connect a.example'",
    `To see the rule, run: toolcrib policy explain 'connect a.example' ${flag}`,
  ],
  [
    "Copy: toolcrib sessions fork session_a --turn 3",
    `Copy: toolcrib sessions fork session_a --turn 3 ${flag}`,
  ],
  ["install a sandbox (see: toolcrib doctor), or", `install a sandbox (see: toolcrib doctor ${flag}), or`],
  ["Run: toolcrib undo --to before-cleanup", `Run: toolcrib undo --to before-cleanup ${flag}`],
  ["Run: toolcrib undo --to 'a b'", `Run: toolcrib undo --to 'a b' ${flag}`],
  ["Undo it: toolcrib undo <call>", `Undo it: toolcrib undo <call> ${flag}`],
  ["After the session, use: toolcrib undo --yes", `After the session, use: toolcrib undo --yes ${flag}`],
])("adds the target to %j", (text, expected) => {
  expect(commandsOnTarget(text, target)).toBe(expected);
  expect(commandsOnTarget(expected, target)).toBe(expected);
  expect([commandsOnTarget(text, undefined), commandsOnTarget(text, "/folder")]).toEqual([text, text]);
});

it.each([
  "To allow it, run: toolcrib approve a1b2c3",
  "To list the pending approvals, run: toolcrib approve --all",
  "List the calls of all folders: toolcrib log --all",
  "Set up a model: toolcrib models",
  "Try it: toolcrib run --demo",
  "See: toolcrib help undo",
  "For a tool: toolcrib call file.read --help",
])("leaves %j as it is", (text) => {
  expect(commandsOnTarget(text, target)).toBe(text);
});

it("changes the hints of an error, and nothing else", () => {
  const error = new ToolError("not-found", "No call x: toolcrib log", {
    hint: "Ask the user to run: toolcrib undo call_1",
    forUser: { hint: "Run: toolcrib undo call_1" },
  });
  const changed = errorOnTarget(error, target);
  expect(changed).toMatchObject({
    ...{ code: "not-found", message: "No call x: toolcrib log" },
    hint: `Ask the user to run: toolcrib undo call_1 ${flag}`,
  });
  expect((changed as ToolError).forUser).toEqual({ hint: `Run: toolcrib undo call_1 ${flag}` });
  const other = new ToolError("not-found", "No call", { forUser: { hint: null } });
  expect([errorOnTarget(other, target), errorOnTarget(error, undefined)]).toEqual([other, error]);
});
