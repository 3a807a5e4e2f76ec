import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Activity } from "./activity.ts";
import { Screen } from "./screen.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "hrtime"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const clear = "\r\u001b[2K";

function open({ canRedraw }: { readonly canRedraw: boolean }) {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const screen = new Screen({ print: write, remark: write, isWatched: true, canRedraw, columns: () => 40 });
  return { screen, activity: new Activity(screen), take: () => written.splice(0).join("") };
}

it("redraws one line for work that takes more than a second, and removes it", () => {
  const { activity, take } = open({ canRedraw: true });
  activity.begin("a", "shell.run npm test");
  vi.advanceTimersByTime(900);
  const quick = take();
  activity.note("a", "10 of\u001b[1A 20");
  vi.advanceTimersByTime(200);
  const one = take();
  activity.begin("b", "file.read x");
  vi.advanceTimersByTime(250);
  const two = take();
  activity.end("a");
  activity.end("b");
  vi.advanceTimersByTime(5000);
  expect([quick, one, two, take()]).toEqual([
    "",
    `${clear}shell.run npm test … 1 s 10 of<U+001B…`,
    `${clear}shell.run npm test … 1 s (and 1 more)…`,
    clear,
  ]);
});

it("prints few plain lines when it cannot redraw", () => {
  const { activity, take } = open({ canRedraw: false });
  activity.begin("a", "shell.run npm test");
  vi.advanceTimersByTime(1_900);
  const quick = take();
  vi.advanceTimersByTime(70_000);
  activity.stop();
  expect([quick, take()]).toEqual([
    "",
    "shell.run npm test … 2 s\nshell.run npm test … 32 s\nshell.run npm test … 62 s\n",
  ]);
});

it("does not interrupt streamed text or questions", async () => {
  const { screen, activity, take } = open({ canRedraw: true });
  screen.print("Half a line");
  activity.begin("a", "waiting");
  vi.advanceTimersByTime(1_100);
  const inWords = take();
  screen.endText();
  vi.advanceTimersByTime(250);
  const afterWords = take();
  await screen.whileAsking(async () => vi.advanceTimersByTime(2_000));
  expect([inWords, afterWords, take()]).toEqual(["Half a line", `\n${clear}waiting … 1 s`, clear]);
  activity.stop();
});
