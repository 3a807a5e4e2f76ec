import fc from "fast-check";
import { expect, it } from "vitest";
import type { Approval, ApprovalRequest } from "../../../toolcrib/index.ts";
import { Picker } from "./picker.ts";
import { Question } from "./question.ts";

const request = {
  tool: "file.delete",
  accesses: [],
  input: { path: "a" },
  parts: [],
  reason: "mode safe asks before deleting",
  rule: "mode safe",
  source: "mode safe",
  hash: "h",
  grants: ["allow delete a"],
  risk: "destructive",
  sandbox: "none",
  unconfined: false,
  hosts: [],
} as unknown as ApprovalRequest;

/** A question with a clock of its own. */
function ask() {
  let now = 0;
  const answers: Approval[] = [];
  let text = "";
  const typed = (more: string) => {
    text += more;
  };
  const question = new Question(request, (answer) => answers.push(answer), { typed, now: () => now });
  return {
    press: (key: string, afterMs: number) => {
      now += afterMs;
      question.handleInput(key);
    },
    answers,
    text: () => text,
  };
}

it("takes no answer from 1,000 streams of typing, and passes their text on", () => {
  const keys = fc.constantFrom(..."yYsaAnNme1 2,.xEq", "\r", "\u007f", "\u001b[A");
  const stroke = fc.tuple(keys, fc.integer({ min: 0, max: 699 }));
  fc.assert(
    fc.property(fc.array(stroke, { minLength: 1, maxLength: 60 }), (strokes) => {
      const question = ask();
      for (const [key, afterMs] of strokes) question.press(key, afterMs);
      expect(question.answers).toEqual([]);
      expect(question.text()).toBe(strokes.map(([key]) => (/^\P{Cc}$/u.test(key) ? key : "")).join(""));
      // What is meant still counts.
      question.press("y", 700);
      expect(question.answers).toEqual([{ allow: true, hash: "h" }]);
    }),
    { numRuns: 1000 },
  );
});

it("waits again after every key, also after one that counts", () => {
  const question = ask();
  question.press("e", 700);
  question.press("y", 699);
  expect([question.answers, question.text()]).toEqual([[], "y"]);
  question.press("y", 700);
  expect(question.answers).toEqual([{ allow: true, hash: "h" }]);
});

it("chooses nothing by typing ahead in a list that the user did not ask for; Esc leaves it at once", () => {
  let now = 0;
  let text = "";
  const chosen: (string | undefined)[] = [];
  const choices = [
    { value: "", label: "Cancel" },
    { value: "yes", label: "Undo" },
  ];
  const options = {
    typed: (more: string) => {
      text += more;
    },
    now: () => now,
  };
  const open = () =>
    new Picker({ title: "It is committed.", choices }, (value) => chosen.push(value), options);
  const picker = open();
  for (const key of [..."undo", "\r"]) {
    now += 100;
    picker.handleInput(key);
  }
  open().handleInput("\u001b");
  expect([text, chosen]).toEqual(["undo", [undefined]]);
  now += 700;
  for (const key of [..."undo", "\r"]) picker.handleInput(key);
  expect(chosen).toEqual([undefined, "yes"]);
});
