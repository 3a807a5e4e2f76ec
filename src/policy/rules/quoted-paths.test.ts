import { expect, it } from "vitest";
import { decideOn, rules } from "../../../test/support/policy/decide.ts";
import { ruleFor } from "../../engine/sandbox/held-back.ts";
import { quotePathForRule } from "../../lib/text/rule-text.ts";

const names = ["plain", "my app", "[id]", "{a,b}", "it's", 'a"b', 'it\'s "both" \\', "a#b", "*"];

it.each(names)(
  "a rule that is suggested for a held-back entry means that entry, and no other: %s",
  (name) => {
    const path = `/home/ada/work/${name}/deep`;
    const rule = (kind: "file" | "directory") => ruleFor({ path, kind }, "/home/ada/work");
    const asked = [`${name}/deep`, `${name}/deep/x`, "other/deep", "other/deep/x"];
    // `deny` is stronger than `allow`, so the same rule as a refusal shows what it means.
    const refused = (rule: string) =>
      asked.map((path) => {
        const tool = { name: "file.write", risk: "write" } as const;
        const source = rules(rule.replace("allow", "deny"));
        return decideOn([{ kind: "write", path }], [source], { mode: "yolo", tool }).verdict === "deny";
      });
    expect([refused(rule("file")), refused(rule("directory"))]).toEqual([
      [true, true, false, false],
      [true, true, false, false],
    ]);
  },
);

it("a path of the home stays one", () => {
  expect([quotePathForRule("~/a"), quotePathForRule("~/my lib")]).toEqual(["~/a", "~/'my lib'"]);
});
