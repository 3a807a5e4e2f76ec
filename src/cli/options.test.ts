import { expect, it } from "vitest";
import { optionNames } from "../toolcrib/check-options.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { instanceOptions } from "./options.ts";
import { sessionOptionList } from "./session/session-option-list.ts";

/** The options of `createSession` and `serveHttp` that the command line has, too. */
const others = [
  "model",
  "reasoning",
  "resume",
  "plan",
  "instructions",
  "projectInstructions",
  "protocol",
  "allowUnpriced",
];
const library = new Set([...Object.keys(optionNames), ...others, "telemetry", "allowedHosts", "token"]);

/** Options that only a command has, and those that `limits` and `target` of the library group. */
const ownOptions = new Set(["verbose", "no-input", "max-rounds", "max-cost", "upload-node"]);

it("options of commands have the names of the library's options", () => {
  const shared = mcpCommand.options.filter(({ name }) => /wait|token|host/.test(name));
  const options = [...sessionOptionList, ...instanceOptions, ...shared];
  const named = options.map(({ name }) => name).filter((name) => !ownOptions.has(name));
  const unlike = named.filter((name) => !libraryNames(name).some((known) => library.has(known)));
  expect(unlike).toEqual([]);
});

/** `--rule` is given once for each of `rules`, `--token-file` reads `token`, `--no-x` is `x: false`. */
function libraryNames(option: string): readonly string[] {
  const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const plain = option.replace(/^no-/, "");
  return [plain, `${plain}s`, plain.replace(/-file$/, "")].map(camel);
}
