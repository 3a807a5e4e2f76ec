import { expect, it } from "vitest";
import { analyseCommand } from "./analyse-command.ts";

const doubted = (command: string) =>
  analyseCommand(command).notUnderstood.map(({ span }) => command.slice(span.start, span.end));

it.each([
  ["a link made just before", "ln -s .git g; cp a g/config", ["g/config", "g/config"]],
  ["the link itself", "ln -s ../secret l && cat l", ["l"]],
  ["a link under its last name", "ln -s ../outside/o; echo x > o", ["o"]],
  ["what is moved along", "mv links here && cat here/passwords", ["here/passwords"]],
  ["what is unpacked", "tar xf a.tar -C there && cat there/x", ["there/x"]],
  ["another spelling", "ln -s .git ./d/../g; cat g//config", ["g//config"]],
  ["a directory above", "cd d && ln -s ../.git g && cat g/config", ["g/config"]],
])("does not claim to know a path through %s", (_name, command, segments) => {
  expect(doubted(command)).toEqual(segments);
});

it.each(["cp a b && cat b", "mv a b && cat b", "mkdir d && echo x > d/f && cat d/f", "ln -s a b; cat c"])(
  "resolves the paths of %s",
  (command) => {
    expect(doubted(command)).toEqual([]);
  },
);
