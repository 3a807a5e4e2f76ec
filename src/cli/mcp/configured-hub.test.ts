import { expect, it } from "vitest";
import { emptySource } from "../../../test/support/tool-source.ts";
import { shared } from "./servers.ts";

it("notifies open instances of every change, and a closed one of none", () => {
  const hub = emptySource();
  const warnings: string[] = [];
  const [first, second] = [shared(hub), shared(hub)];
  first.onChange(() => warnings.push("first"));
  const stop = second.onChange(() => warnings.push("second, once"));
  second.onChange(() => warnings.push("second"));
  hub.put([]);
  void first.close();
  stop();
  hub.put([]);
  expect(warnings).toEqual(["first", "second, once", "second", "second"]);
});
