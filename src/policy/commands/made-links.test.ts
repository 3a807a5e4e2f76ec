import { expect, it } from "vitest";
import { analyseCommand } from "./analyse-command.ts";

const doubted = (command: string) =>
  analyseCommand(command).notUnderstood.map(({ span }) => command.slice(span.start, span.end));

it.each([
  ["a symlink made just before", "ln -s .git g; cp a g/config", ["g/config", "g/config"]],
  ["the symlink itself", "ln -s ../secret l && cat l", ["l"]],
  ["a symlink named after its target", "ln -s ../outside/o; echo x > o", ["o"]],
  ["a moved symlink", "mv links here && cat here/passwords", ["here/passwords"]],
  ["an unpacked archive", "tar xf a.tar -C there && cat there/x", ["there/x"]],
  ["another spelling", "ln -s .git ./d/../g; cat g//config", ["g//config"]],
  ["a parent directory", "cd d && ln -s ../.git g && cat g/config", ["g/config"]],
])("does not claim to know a path through %s", (_name, command, segments) => {
  expect(doubted(command)).toEqual(segments);
});

it.each(["cp a b && cat b", "mv a b && cat b", "mkdir d && echo x > d/f && cat d/f", "ln -s a b; cat c"])(
  "resolves the paths of %s",
  (command) => {
    expect(doubted(command)).toEqual([]);
  },
);
