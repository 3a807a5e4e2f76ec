import { expect, it } from "vitest";
import { emptySource } from "../../../test/support/tool-source.ts";
import { shared } from "./servers.ts";

it("notifies open instances of every change, and a closed one of none", () => {
  const hub = emptySource();
  const told: string[] = [];
  const [first, second] = [shared(hub), shared(hub)];
  first.onChange(() => told.push("first"));
  const stop = second.onChange(() => told.push("second, once"));
  second.onChange(() => told.push("second"));
  hub.put([]);
  void first.close();
  stop();
  hub.put([]);
  expect(told).toEqual(["first", "second, once", "second", "second"]);
});
