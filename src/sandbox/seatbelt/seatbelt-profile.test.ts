import { expect, it } from "vitest";
import { seatbeltProfile } from "./seatbelt-profile.ts";

it("writes a whole profile", async () => {
  await expect(
    seatbeltProfile({
      workspace: "/Users/me/my work",
      readable: ["/Users/me/.cargo"],
      writable: ["/private/state/home"],
      hidden: ["/Users/me/my work/deep/.env"],
      readOnly: ["/Users/me/my work/.git/hooks", '/Users/me/my work/a "b" \\c'],
      held: ["/Users/me/my work/.git"],
      proxyPort: 4711,
      mayListen: true,
      terminal: true,
    }),
  ).toMatchFileSnapshot("profile.golden.sb");
});

it("denies the network by default", () => {
  const profile = seatbeltProfile({
    workspace: "/w",
    readable: [],
    writable: [],
    hidden: [],
    readOnly: [],
    held: [],
    mayListen: false,
    terminal: false,
  });
  expect([profile.includes("network"), profile.includes("(deny file")]).toEqual([false, false]);
});
