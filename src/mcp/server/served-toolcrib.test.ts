import { expect, it } from "vitest";
import { ServedToolcrib } from "./served-toolcrib.ts";

it("opens nothing after it was closed", async () => {
  let opened = 0;
  const room = new ServedToolcrib(async () => {
    opened += 1;
    throw new Error("nobody closes it");
  });
  await room.close();
  await expect(room.definitions()).rejects.toMatchObject({ code: "unavailable" });
  expect(opened).toBe(0);
});
