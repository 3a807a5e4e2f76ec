import { expect, it } from "vitest";
import { WorkerLanguages } from "./batches.ts";

const file = (language: string | undefined, bytes: number) => ({ language, bytes });
const [go, rust, moreRust, text] = [file("go", 2), file("rust", 1), file("rust", 4), file(undefined, 9)];

it("gives a worker its own languages, then the largest unclaimed one, then files without a grammar", () => {
  const languages = new WorkerLanguages(2);
  const waiting = [text, rust, go, moreRust];
  expect(languages.choose(waiting, 0)).toEqual([rust, moreRust, go, text]);
  languages.claim([go], 0);
  expect(languages.choose(waiting, 0)).toEqual([go, rust, moreRust, text]);
  languages.claim([rust], 1);
  expect(languages.choose(waiting, 0)).toEqual([go, text]);
  expect(languages.choose(waiting, 1)).toEqual([rust, moreRust, text]);
});

it("lets a worker help the others when it has nothing else to do", () => {
  const languages = new WorkerLanguages(2);
  languages.claim([go, rust], 0);
  expect(languages.choose([go, rust, moreRust], 1)).toEqual([rust, moreRust, go]);
  expect(languages.choose([], 1)).toEqual([]);
});
