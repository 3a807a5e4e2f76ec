import { expect, it } from "vitest";
import { toolFixture } from "../../../test/support/tool-fixture.ts";
import { timeNow } from "./now.ts";

it("returns the time in UTC, with its offset", async () => {
  await using opened = toolFixture();
  const earliest = Date.now();
  const { data, text } = await opened.run(timeNow, {});
  const time = Date.parse(data.iso);
  expect(time >= earliest && time <= Date.now()).toBe(true);
  expect(data.iso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  expect(data).toEqual({ ...data, zone: "UTC", unixSeconds: Math.floor(time / 1000) });
  expect(text).toBe(`${data.iso} (${data.weekday}, UTC)`);
});

it("returns the time in a given zone", async () => {
  await using opened = toolFixture();
  const { data } = await opened.run(timeNow, { zone: "Asia/Tokyo" });
  expect([data.iso.slice(-6), data.zone]).toEqual(["+09:00", "Asia/Tokyo"]);
});

it("suggests similar zones for an unknown one", async () => {
  await using opened = toolFixture();
  const usual = 'Use an IANA name ("Europe/Berlin"), an offset ("+02:00"), "UTC" or "local".';
  const refusals = ["Berlin", "Europe/Berln", "new york", "Mars/Olympus", ""].map((zone) =>
    opened.refusal(timeNow, { zone }),
  );
  expect((await Promise.all(refusals)).map(({ message, hint }) => [message, hint])).toEqual([
    ['Unknown time zone "Berlin"', `Did you mean Europe/Berlin? ${usual}`],
    ['Unknown time zone "Europe/Berln"', `Did you mean Europe/Berlin? ${usual}`],
    ['Unknown time zone "new york"', `Did you mean America/New_York? ${usual}`],
    ['Unknown time zone "Mars/Olympus"', usual],
    ['Unknown time zone ""', usual],
  ]);
});
