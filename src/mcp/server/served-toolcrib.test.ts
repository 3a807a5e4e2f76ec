import { expect, it } from "vitest";
import { ServedToolcrib } from "./served-toolcrib.ts";

it("opens nothing after it is closed", async () => {
  let opened = 0;
  const served = new ServedToolcrib(async () => {
    opened += 1;
    throw new Error("nobody closes it");
  });
  await served.close();
  await expect(served.definitions()).rejects.toMatchObject({ code: "unavailable" });
  expect(opened).toBe(0);
});
